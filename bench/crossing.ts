/** The price of each way between threads and languages, from a native call to a whole HTTP request. */
import { createRequire } from 'node:module';
import path from 'node:path';
import { MessageChannel, Worker } from 'node:worker_threads';
import { Bench } from 'tinybench';
import { Client } from 'undici';
import type { RawAddon } from '../src/native/raw-addon.js';
import { startQuarry } from './servers.js';

/** A bare message to a worker thread and back. */
function echoWorker(): { call(): Promise<void>; stop(): Promise<unknown> } {
  const { port1, port2 } = new MessageChannel();
  const source = `const { workerData } = require('node:worker_threads');
    workerData.on('message', (message) => workerData.postMessage(message));`;
  const worker = new Worker(source, { eval: true, workerData: port2, transferList: [port2] });
  return {
    call: () =>
      new Promise((resolve) => {
        port1.once('message', () => {
          resolve();
        });
        port1.postMessage(0);
      }),
    stop: async () => {
      port1.close();
      return worker.terminate();
    },
  };
}

async function request(client: Client, path: string): Promise<void> {
  const answer = await client.request({ method: 'GET', path });
  const text = await answer.body.text();
  if (answer.statusCode !== 200) throw new Error(`GET ${path}: ${answer.statusCode} ${text}`);
}

export default async function main(size: Readonly<Record<string, number>>): Promise<void> {
  const addon = createRequire(import.meta.url)(path.resolve('dist/native/quarry.node')) as RawAddon;
  const node = await startQuarry();
  const client = new Client(node.url);
  const echo = echoWorker();
  try {
    const put = { method: 'PUT' as const, headers: { 'content-type': 'application/json' } };
    const made = await client.request({ ...put, path: '/crossing/_doc/1?refresh=true', body: '{"a":1}' });
    if (made.statusCode !== 201) throw new Error(`the document was not made: ${await made.body.text()}`);
    await made.body.dump();
    const bench = new Bench({ time: size['milliseconds'] ?? 100, throws: true });
    bench
      .add('a native call (murmur3 of a short text)', () => {
        addon.murmur3('some routing');
      })
      .add('a message to a worker thread and back', () => echo.call())
      .add('HTTP: GET /', () => request(client, '/'))
      .add('HTTP: a document by its id', () => request(client, '/crossing/_doc/1'))
      .add('HTTP: a search of one document', () => request(client, '/crossing/_search?q=a:1'));
    await bench.run();
    for (const { name, result } of bench.tasks) {
      if (result.state !== 'completed') throw new Error(`${name} did not complete`);
      console.log(`${name.padEnd(44)} ${(result.latency.p50 * 1_000).toFixed(2)} us (median)`);
    }
  } finally {
    await echo.stop();
    await client.close();
    await node.stop();
  }
}
