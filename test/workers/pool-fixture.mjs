// A worker for the pool's tests: plain JavaScript, so that it can be loaded without a build.
import { workerData } from 'node:worker_threads';

let slot;
let introduced;
const ports = new Map();
const answers = new Map();

export default async function run(task) {
  switch (task.kind) {
    case 'wire':
      if (slot === undefined && Atomics.sub(task.introduction.failures, 0, 1) > 0) throw new Error('not ready');
      slot = task.slot;
      introduced = task.introduction.name;
      for (const { peer, port } of task.wires) {
        ports.get(peer)?.close();
        ports.set(peer, port);
        port.on('message', (message) => {
          if (message.ask) port.postMessage({ answer: `${message.ask} from worker-${slot}` });
          else answers.get(peer)?.(message.answer);
        });
      }
      return undefined;
    case 'slot':
      return slot;
    case 'ask':
      return new Promise((resolve) => {
        answers.set(task.peer, resolve);
        ports.get(task.peer).postMessage({ ask: 'hello' });
      });
    case 'wait':
      return new Promise(() => undefined);
    case 'mark':
      Atomics.store(task.marks, slot, 1);
      return undefined;
    case 'introduced':
      return introduced;
    case 'crash':
      setImmediate(() => {
        throw new Error('crashed on purpose');
      });
      return new Promise(() => undefined);
    default:
      return undefined;
  }
}

// Loading takes a while: until the gate of this worker is not 0, which are counted in the order in which they begin.
if (workerData.loaded !== undefined) {
  const { begun, gates, loaded } = workerData;
  Atomics.wait(gates, Atomics.add(begun, 0, 1), 0);
  Atomics.add(loaded, 0, 1);
}
