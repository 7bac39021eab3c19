/** What the threads of a node are given when they start: settings, places of files, and the memory that they share. Nothing is started here. */
import { availableParallelism } from 'node:os';
import { contextWords } from '../actions/searches/contexts/context-counters.js';
import { searchUsageWords } from '../actions/searches/search-usage-words.js';
import { breakerWords } from '../base/breakers.js';
import { pressureWords } from '../base/indexing-pressure.js';
import type { NodeSettings } from '../base/node-settings.js';
import { threadWords } from '../base/thread-words.js';
import { indexingBudget, sharedMemoryWords } from '../shard/indexing-memory.js';
import { paceWords } from '../shard/replication/node-paces.js';
import { trafficWords } from '../transport/client-traffic.js';
import type { TransportSecurity } from '../transport/security.js';
import { slotWords } from '../workers/worker-slots.js';
import { freshnessWord } from './freshness.js';
import { frontWords, type FrontWords } from './front/request-front.js';
import type { NodeKeystore } from './node-keystore.js';
import type { NodePaths } from './paths.js';
import type { CoordinatorStart, WorkerStart } from './thread-messages.js';
import { mergesMax } from './work-pools.js';

export interface ThreadStarts {
  readonly workerCount: number;
  /** The first one among them. */
  readonly frontCount: number;
  readonly coordinator: CoordinatorStart;
  /** Also for the reads of each front. */
  readonly worker: WorkerStart;
  readonly fronts: FrontWords;
}

/** `security`: what keeps strangers from the port of the nodes. */
export function threadStarts(
  settings: NodeSettings,
  keystore: Pick<NodeKeystore, 'version'>,
  security: TransportSecurity,
  paths: NodePaths,
): ThreadStarts {
  const workerCount = settings.values['node.processors'] ?? availableParallelism();
  const frontCount = settings.values['http.front_threads'];
  const ofAll = {
    settings,
    security,
    indicesPath: paths.indices,
    trafficWords: trafficWords(),
    threadWords: threadWords(workerCount + frontCount - 1),
  };
  const coordinator: CoordinatorStart = {
    ...ofAll,
    statePath: paths.clusterState,
    formerStatePath: paths.formerClusterState,
    freshness: freshnessWord(),
    mergesMax: mergesMax(settings, workerCount),
  };
  const worker: WorkerStart = {
    ...ofAll,
    secureSettingsVersion: keystore.version,
    indexingBudgetBytes: indexingBudget(settings, settings.memory.budgetBytes),
    indexingWords: sharedMemoryWords(workerCount),
    // One for the reads of each front as well.
    contextWords: contextWords(workerCount + frontCount),
    paceWords: paceWords(),
    searchUsageWords: searchUsageWords(),
    breakerWords: breakerWords(workerCount),
    // The same.
    pressureWords: pressureWords(workerCount + frontCount),
    slotWords: slotWords(workerCount),
  };
  return { workerCount, frontCount, coordinator, worker, fronts: frontWords(worker.slotWords, frontCount) };
}
