/** Requests that are refused, and clients that hang up at any moment. */
import { once } from 'node:events';
import { connect } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import type { JsonObject } from '../../json.js';
import type { Lane, NamedStep } from '../lane.js';

interface Refused {
  readonly status: number;
  readonly method: string;
  readonly path: string;
  readonly body?: string | JsonObject;
}

function refusedRequests(index: string): readonly Refused[] {
  const search = `/${index}/_search`;
  return [
    { status: 400, method: 'POST', path: search, body: { query: { unheard_of: {} } } },
    { status: 400, method: 'POST', path: search, body: { query: { term: { group: { unheard_of: 1 } } } } },
    { status: 400, method: 'POST', path: search, body: { from: 10_000, size: 1 } },
    { status: 400, method: 'POST', path: search, body: { aggs: { a: { terms: { field: 'words' } } } } },
    { status: 400, method: 'POST', path: search, body: { query: { regexp: { group: '[(' } } } },
    { status: 400, method: 'POST', path: search, body: { script_fields: { a: { script: 'nonsense(' } } } },
    { status: 400, method: 'POST', path: `${search}?unheard_of=1`, body: {} },
    { status: 400, method: 'POST', path: `/${index}/_bulk`, body: 'not json\n' },
    { status: 400, method: 'PUT', path: `/${index}/_doc/x`, body: { unheard_of: 1 } },
    { status: 400, method: 'PUT', path: `/${index}/_settings`, body: { 'index.unheard_of': 1 } },
    { status: 400, method: 'PUT', path: `/${index}`, body: {} },
    { status: 404, method: 'GET', path: '/nowhere/_search' },
    { status: 404, method: 'GET', path: `/${index}/_doc/nothing` },
    { status: 405, method: 'DELETE', path: `/${index}/_search` },
  ];
}

async function refused({ client, chance, index }: Lane): Promise<void> {
  const { status, method, path, body } = chance.pick(refusedRequests(index));
  await client.expect(status, method, path, body);
}

/** Some of a request or all of it, and then nothing more: the answer is never read. */
async function hangUp({ client, chance, index }: Lane): Promise<void> {
  const { hostname, port } = new URL(client.url);
  const socket = connect(Number(port), hostname);
  socket.on('error', () => undefined);
  await once(socket, 'connect');
  const body = JSON.stringify({ size: 500, aggs: { a: { terms: { field: 'words.raw', size: 10_000 } } } });
  const head = `POST /${index}/_search HTTP/1.1\r\nHost: x\r\nAuthorization: ${client.credentials}\r\nContent-Type: application/json\r\n`;
  const request = `${head}Content-Length: ${body.length}\r\n\r\n${body}`;
  socket.write(request.slice(0, chance.yes(0.5) ? request.length : chance.below(request.length)));
  await sleep(chance.below(20));
  if (chance.yes(0.5)) socket.end();
  socket.destroy();
}

export const MISUSE: readonly NamedStep[] = [
  { name: 'refused requests', weight: 12, run: refused },
  { name: 'clients that hang up', weight: 5, run: hangUp },
];
