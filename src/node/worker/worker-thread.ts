/** Entry of a worker thread: Piscina calls the default export with each task. */
import { countCollections } from '../../base/garbage-collections.js';
import { startData } from '../../workers/threads.js';
import { shardLifecycle } from './shard-lifecycle.js';
import type { WorkerStart, WorkerTask } from '../thread-messages.js';
import { WorkerThread } from './worker.js';

const start = startData() as WorkerStart;
countCollections(start.collectionWords);
const worker = new WorkerThread(start, shardLifecycle);

export default async function run(task: WorkerTask): Promise<unknown> {
  return worker.run(task);
}
