/** Entry of a worker thread: Piscina calls the default export with each task. */
import { BreakerWords } from '../../base/breakers.js';
import { useMemoryBudget } from '../../base/memory.js';
import { countOfThread, FIRST_WORKER_THREAD, numberThread } from '../../base/thread-words.js';
import { startData } from '../../workers/threads.js';
import { shardLifecycle } from './shard-lifecycle.js';
import { countNativeTrips } from '../native-trips.js';
import type { WorkerStart, WorkerTask } from '../thread-messages.js';
import { WorkerThread } from './worker.js';

const start = startData() as WorkerStart;
useMemoryBudget(start.settings.memory.budgetBytes);
countOfThread(start.threadWords);
countNativeTrips(new BreakerWords(start.breakerWords));
const worker = new WorkerThread(start, shardLifecycle);

export default async function run(task: WorkerTask): Promise<unknown> {
  if ('slot' in task) numberThread(start.threadWords, FIRST_WORKER_THREAD + task.slot);
  return worker.run(task);
}
