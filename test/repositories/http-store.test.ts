/** Ranges of files that a web server gives: what is cut on its way is asked for again, what the file does not have is damage. */
import { createServer, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { systemClock } from '../../src/base/clock.js';
import { HttpStore } from '../../src/repositories/url/http-store.js';

const WHOLE = Buffer.from('0123456789');

let server: Server;
let store: HttpStore;
let asked: number;
let answer: (response: ServerResponse) => void;

beforeEach(async () => {
  asked = 0;
  server = createServer((_request, response) => {
    asked++;
    answer(response);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  store = new HttpStore({ url: `http://127.0.0.1:${port}/`, retries: 3, silenceMs: 5_000, clock: systemClock });
});

afterEach(async () => {
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
});

it('an answer that was cut, and does not say so, is asked for again', async () => {
  answer = (response) => {
    const isCut = asked === 1;
    response.shouldKeepAlive = false;
    response.writeHead(206, { 'content-range': 'bytes 0-9/10', 'transfer-encoding': 'identity' });
    response.end(isCut ? WHOLE.subarray(0, 5) : WHOLE);
  };
  expect(Buffer.from(await store.readRange('blob', 0, 10))).toEqual(WHOLE);
  expect(asked).toBe(2);
});

it.each<[string, number, Readonly<Record<string, string>>]>([
  ['ends in the range', 206, { 'content-range': 'bytes 0-4/5' }],
  ['ends before the range', 416, { 'content-range': 'bytes */0' }],
])('a file that %s is damaged, and asked for once', async (_what, status, headers) => {
  answer = (response) => {
    response.writeHead(status, headers);
    response.end(WHOLE.subarray(0, 5));
  };
  await expect(store.readRange('blob', 0, 10)).rejects.toMatchObject({ type: 'corrupt_index_exception' });
  expect(asked).toBe(1);
});
