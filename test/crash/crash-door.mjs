// Loaded into the threads of a node by NODE_OPTIONS, so that a test can end a worker: nothing of it is in the program. A
// worker that finds the file named by QUARRY_CRASH_FILE removes it and throws where nobody catches.
import { existsSync, unlinkSync } from 'node:fs';
import { isMainThread, workerData } from 'node:worker_threads';

const file = process.env.QUARRY_CRASH_FILE;
// The start data of a worker that owns shards has the words of their indexing buffers; the coordinator's does not.
const isWorker = !isMainThread && workerData?.indexingWords !== undefined;

if (isWorker && file !== undefined) {
  setInterval(() => {
    if (!existsSync(file)) return;
    try {
      unlinkSync(file);
    } catch {
      return; // Another worker was faster (`rmSync` would not say so): one crash is asked for, not two.
    }
    throw new Error('crashed on purpose');
  }, 5).unref();
}
