/** Memory that the workers and the fronts of a node share. */
import { contextWords } from '../actions/searches/contexts/context-counters.js';
import { searchUsageWords } from '../actions/searches/search-usage-words.js';
import { paceWords } from '../shard/replication/node-paces.js';
import type { WorkerStart } from './thread-messages.js';

export function wordsOfWorkers(
  workerCount: number,
  frontCount: number,
): Pick<WorkerStart, 'contextWords' | 'paceWords' | 'searchUsageWords'> {
  return {
    // One for the reads of each front as well.
    contextWords: contextWords(workerCount + frontCount),
    paceWords: paceWords(),
    searchUsageWords: searchUsageWords(),
  };
}
