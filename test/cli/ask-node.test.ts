/** Requests of commands to something that is no sound node. */
import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, expect, it } from 'vitest';
import { askNode } from '../../src/cli/ask-node.js';

let server: Server | undefined;

afterEach(() => {
  server?.closeAllConnections();
  server?.close();
});

async function listen(listener: RequestListener): Promise<URL> {
  const made = createServer(listener);
  server = made;
  await new Promise<void>((resolve) => made.listen(0, '127.0.0.1', resolve));
  return new URL(`http://127.0.0.1:${(made.address() as AddressInfo).port}/`);
}

/** A byte now and then, or many at once, without an end. */
function endless(chunk: string, pauseMs: number): RequestListener {
  return (_request, response) => {
    const more = setInterval(() => response.write(chunk), pauseMs);
    response.on('close', () => {
      clearInterval(more);
    });
  };
}

it('an answer that never ends, however busy it is, ends at the deadline', { timeout: 20_000 }, async () => {
  const url = await listen(endless('x', 20));
  await expect(askNode(url, {}, { timeoutMs: 300, bytes: 1_000_000 })).rejects.toThrow('no answer within 0.3 s');
});

it('an answer is cut at the limit, and no more of it is read', { timeout: 20_000 }, async () => {
  const url = await listen(endless('x'.repeat(1_000), 1));
  const { status, text } = await askNode(url, {}, { timeoutMs: 15_000, bytes: 2_500 });
  expect([status, text.length]).toEqual([200, 2_500]);
  await expect.poll(() => connections()).toBe(0);
});

it('an answer that fits is whole', async () => {
  const url = await listen((_request, response) => response.end('x'.repeat(2_500)));
  expect((await askNode(url, {}, { timeoutMs: 15_000, bytes: 2_500 })).text.length).toBe(2_500);
});

function connections(): Promise<number> {
  return new Promise((resolve, reject) => {
    server?.getConnections((error, count) => {
      if (error === null) resolve(count);
      else reject(error);
    });
  });
}
