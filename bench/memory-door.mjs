// Loaded into the threads of a node by NODE_OPTIONS, so that a test or a bench can ask what they hold: nothing of it is in the program.
// Each thread listens at a socket of its own in the folder named by QUARRY_MEMORY_DOORS. Who connects is told how many bytes of the
// thread's heap are used once all is gone that nothing holds, and how many are free then.
import { createServer } from 'node:net';
import { join } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import { getHeapStatistics, setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { threadId } from 'node:worker_threads';

const folder = process.env.QUARRY_MEMORY_DOORS;

if (folder !== undefined) {
  setFlagsFromString('--expose-gc');
  const collect = runInNewContext('gc');
  const server = createServer((socket) => {
    socket.on('error', () => undefined);
    void (async () => {
      // What a WeakRef was asked for lives until the turn of the loop ends, and what an object had outside of the heap goes in a
      // later turn than the object.
      for (let round = 0; round < 2; round++) {
        await setImmediate();
        collect();
      }
      await setImmediate();
      const { total_physical_size, used_heap_size } = getHeapStatistics();
      socket.end(`${used_heap_size} ${total_physical_size - used_heap_size}`);
    })();
  });
  // A thread that cannot be asked goes on: who asks misses its door.
  server.on('error', () => undefined);
  server.listen(join(folder, String(threadId)));
  server.unref();
}
