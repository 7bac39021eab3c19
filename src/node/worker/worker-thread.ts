/** Entry of a worker thread: Piscina calls the default export with each task. */
import { countCollections, HEAP_OF_FIRST_WORKER, tellHeap } from '../../base/garbage-collections.js';
import { BreakerWords } from '../../base/breakers.js';
import { useMemoryBudget } from '../../base/memory.js';
import { startData } from '../../workers/threads.js';
import { shardLifecycle } from './shard-lifecycle.js';
import { countNativeTrips } from '../native-trips.js';
import type { WorkerStart, WorkerTask } from '../thread-messages.js';
import { WorkerThread } from './worker.js';

const start = startData() as WorkerStart;
useMemoryBudget(start.settings.memory.budgetBytes);
countCollections(start.collectionWords);
countNativeTrips(new BreakerWords(start.breakerWords));
const worker = new WorkerThread(start, shardLifecycle);

export default async function run(task: WorkerTask): Promise<unknown> {
  if ('slot' in task) tellHeap(start.collectionWords, HEAP_OF_FIRST_WORKER + task.slot);
  return worker.run(task);
}
