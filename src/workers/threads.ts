/** The few things of `node:worker_threads` that other rooms need, so that only this room imports it. */
import { MessageChannel, parentPort, Worker, workerData, type MessagePort } from 'node:worker_threads';
import { must } from '../base/assert.js';

export type Port = MessagePort;

/** The two ends of a new channel; each can be moved to another thread. */
export function newChannel(): readonly [Port, Port] {
  const { port1, port2 } = new MessageChannel();
  return [port1, port2];
}

/** What the thread was started with. */
export function startData(): unknown {
  return workerData as unknown;
}

/** The port to the thread that started this one. */
export function parent(): Port {
  return must(parentPort, 'parent port: this module runs in a thread of its own');
}

/** A thread that stays for the life of the node. */
export interface ServiceThread {
  post(message: unknown, transfer: readonly Port[]): void;
  stop(): Promise<void>;
}

/** `onExit` is told why the thread ended, also when it was stopped. */
export function startThread(name: string, entry: URL, data: unknown, onExit: (reason: string) => void): ServiceThread {
  const worker = new Worker(entry, { workerData: data, name });
  let failure: string | undefined;
  worker.on('error', (error) => (failure = error.message));
  worker.on('exit', (code) => {
    onExit(failure ?? `exit code ${code}`);
  });
  return {
    post: (message, transfer) => {
      worker.postMessage(message, [...transfer]);
    },
    stop: async () => {
      await worker.terminate();
    },
  };
}
