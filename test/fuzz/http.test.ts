/**
 * HTTP by the million: requests that are damaged in their first line, headers, framing and bodies, one after the other on
 * connections to a real node. Each is answered or ends its connection; no answer says that the node is at fault, and others are answered meanwhile.
 */
import { connect, type Socket } from 'node:net';
import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Chance } from '../../bench/compare/chance.js';
import type { TestNode } from '../api/node-harness.js';
import { damaged, fuzz, FUZZ_TIMEOUT_MS } from './fuzz.js';
import { heldByNode, startMeasured } from './node-memory.js';

/** Inputs of a turn, and the connections that share them. */
const AT_ONCE = 4_096;
/** Many: most of the time each waits for nothing to come. */
const CONNECTIONS = 512;
/** A connection on which nothing moves: what was sent is the beginning of a request, or its body. */
const SILENT_MS = 100;
const SHOWN_CHARACTERS = 1_500;

interface Target {
  readonly method: string;
  readonly path: string;
  readonly body?: string;
}

const TARGETS: readonly Target[] = [
  { method: 'GET', path: '/' },
  { method: 'GET', path: '/films/_doc/1' },
  { method: 'HEAD', path: '/films/_doc/1' },
  { method: 'GET', path: '/films/_doc/1?_source_includes=t*&realtime=false' },
  { method: 'GET', path: '/_cat/indices?format=json&h=index,health&s=index' },
  { method: 'GET', path: '/_cluster/health?level=shards&timeout=1s' },
  { method: 'OPTIONS', path: '/films/_search' },
  { method: 'POST', path: '/films/_search', body: '{"query":{"match":{"title":"film"}},"size":1}' },
  { method: 'GET', path: '/films/_search?q=title:film&from=0&size=2&filter_path=hits.hits._id' },
  { method: 'POST', path: '/films/_count?q=n:1' },
  { method: 'PUT', path: '/films/_doc/2', body: '{"title":"another film","n":2}' },
  {
    method: 'POST',
    path: '/_bulk',
    body: '{"index":{"_index":"films","_id":"3"}}\n{"n":3}\n{"delete":{"_index":"films","_id":"9"}}\n',
  },
  { method: 'POST', path: '/_msearch', body: '{"index":"films"}\n{"size":0}\n' },
  {
    method: 'POST',
    path: '/_mget?pretty',
    body: '{"docs":[{"_index":"films","_id":"1"},{"_index":"none","_id":"1"}]}',
  },
  { method: 'GET', path: '/_console/' },
  { method: 'POST', path: '/_analyze', body: '{"analyzer":"standard","text":"a few words"}' },
];

const HEADERS: readonly string[] = [
  'Host: x',
  'Host: [::1]:9200',
  'Accept: application/json',
  'Accept: application/yaml, */*;q=0.1',
  'Accept: application/vnd.elasticsearch+json;compatible-with=8',
  'Accept: nonsense',
  'Content-Type: application/json',
  'Content-Type: application/x-ndjson; charset=utf-8',
  'Content-Type: application/cbor',
  'Content-Type: text/plain',
  'Accept-Encoding: gzip, deflate',
  'Connection: keep-alive',
  'Connection: upgrade',
  'Upgrade: h2c',
  'Expect: 100-continue',
  'X-Opaque-Id: 12345',
  'Authorization: Basic YWRtaW46eA==',
  'Authorization: ApiKey ???',
  'Origin: http://evil.example',
  'If-None-Match: "x"',
  'Trailer: X',
  'traceparent: 00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01',
  'Cookie: a=b; c=d',
  'X-Empty:',
  'X-Long: ' + 'l'.repeat(4_000),
];

const PIECES = [
  ...[
    '\r\n',
    '\r\n\r\n',
    '\r',
    '\n',
    ' ',
    '\t',
    ':',
    '/',
    '?',
    '&',
    '=',
    '%',
    '%2',
    '%00',
    '%2F',
    '%ff',
    '#',
    '..',
    '//',
    '*',
  ],
  ...[
    'GET ',
    'POST ',
    'PRI * HTTP/2.0',
    ' HTTP/1.1',
    ' HTTP/1.0',
    ' HTTP/9.9',
    'Content-Length: 5',
    'Content-Length: -1',
  ],
  ...[
    'Content-Length: 99999999999999999999',
    'Transfer-Encoding: chunked',
    'Transfer-Encoding: chunked, identity',
    '0\r\n\r\n',
  ],
  ...[
    '5\r\nhello\r\n',
    'ffffffffffffffff\r\n',
    'zz\r\n',
    'Content-Encoding: gzip',
    '\0',
    '\x7f',
    '\x80',
    '\xff',
    '"',
    '{',
    '_all',
  ],
  ...['_search', '?pretty', 'filter_path=**', '-1', '1e9', 'x'.repeat(500)],
];

let node: TestNode;
let host: string;
let port: number;

beforeAll(async () => {
  node = await startMeasured({ 'http.max_content_length': '1mb', 'http.max_header_size': '16kb' });
  const url = new URL(node.url);
  [host, port] = [url.hostname, Number(url.port)];
  // However paths and bodies are changed, they make no indices and no fields.
  await node.put('/films', {
    settings: { number_of_replicas: 0, 'translog.durability': 'async' },
    mappings: { dynamic: false, properties: { title: { type: 'text' }, n: { type: 'integer' } } },
  });
  await node.put('/films/_doc/1?refresh', { title: 'a film', n: 1 });
  await node.put('/_cluster/settings', {
    persistent: { 'action.auto_create_index': 'false', 'cluster.max_shards_per_node': 1 },
  });
}, 60_000);

afterAll(async () => {
  await node.stop();
});

function written(chance: Chance): string {
  const { method, path, body = '' } = chance.pick(TARGETS);
  const headers = chance.some(HEADERS, 5);
  const isGzip = body !== '' && chance.yes(0.1);
  const sent = isGzip ? gzipSync(body).toString('latin1') : Buffer.from(body).toString('latin1');
  if (isGzip) headers.push('Content-Encoding: gzip');
  if (body !== '' && !headers.some((header) => header.startsWith('Content-Type'))) {
    headers.push('Content-Type: application/json');
  }
  let framed = sent;
  if (body !== '' && chance.yes(0.3)) {
    headers.push('Transfer-Encoding: chunked');
    const at = chance.below(sent.length);
    const parts = [sent.slice(0, at), sent.slice(at)].filter((part) => part !== '');
    framed = [...parts, ''].map((part) => `${part.length.toString(16)}\r\n${part}\r\n`).join('');
  } else if (body !== '') headers.push(`Content-Length: ${sent.length}`);
  return `${method} ${path} HTTP/1.1\r\n${headers.map((header) => `${header}\r\n`).join('')}\r\n${framed}`;
}

/** A request, most often with something wrong, as it goes over the wire: a character is a byte. */
function input(chance: Chance): string {
  const whole = written(chance);
  if (chance.yes(0.1)) return whole;
  const end = whole.indexOf('\r\n');
  return chance.one(
    () => damaged(whole, chance, PIECES),
    // Its framing stays, so that it is answered.
    () => {
      const [method = '', path = ''] = whole.slice(0, end).split(' ');
      const changed = damaged(path, chance, PIECES).replace(/[\s\0-\x20\x7f]/g, '+');
      return `${method} /${changed.slice(1)} HTTP/1.1${whole.slice(end)}`;
    },
    () => `${whole.slice(0, end)}\r\nX-Odd: ${damaged('odd', chance, PIECES)}${whole.slice(end)}`,
  );
}

/** A connection that sends one request after the other, and is opened again when it ends. */
class Talker {
  private socket: Socket | undefined;
  private text = '';
  private told: () => void = () => undefined;

  /** What the answer begins with; empty where there is none. */
  async ask(request: string): Promise<string> {
    const socket = this.socket ?? this.open();
    this.text = '';
    const isHead = request.startsWith('HEAD ');
    socket.write(request, 'latin1');
    while (!this.isWhole(isHead) && this.socket === socket) await new Promise<void>((resolve) => (this.told = resolve));
    return this.text;
  }

  end(): void {
    this.socket?.resetAndDestroy();
    this.socket = undefined;
    this.told();
  }

  private open(): Socket {
    const socket = connect(port, host);
    this.socket = socket;
    const end = (): void => {
      if (this.socket === socket) this.end();
    };
    socket.setTimeout(SILENT_MS, end);
    socket.on('data', (chunk: Buffer) => {
      this.text += chunk.toString('latin1');
      this.told();
    });
    socket.on('error', end);
    socket.on('close', end);
    return socket;
  }

  private isWhole(isHead: boolean): boolean {
    const end = this.text.indexOf('\r\n\r\n');
    if (end === -1) return false;
    const head = this.text.slice(0, end);
    if (isHead || / (?:204|304) /.test(head.slice(0, 16))) return true;
    const length = /\r\ncontent-length: (\d+)/i.exec(head)?.[1];
    if (length === undefined) return this.text.endsWith('0\r\n\r\n');
    return this.text.length - end - 4 >= Number(length);
  }
}

async function tryAll(requests: readonly string[]): Promise<void> {
  const talker = new Talker();
  for (const request of requests) {
    const answer = await talker.ask(request);
    const status = Number(/^HTTP\/1\.1 (\d{3}) /.exec(answer)?.[1] ?? 0);
    // The library's own answers to what is no HTTP/1.1, or asks for what it does not know.
    const isFault = (status >= 500 && status !== 505 && status !== 501) || answer.includes('internal_error');
    if (isFault) {
      throw new Error(
        `${JSON.stringify(answer.slice(0, SHOWN_CHARACTERS))} to ${JSON.stringify(request.slice(0, 20 * SHOWN_CHARACTERS))}`,
      );
    }
  }
  talker.end();
}

test(
  'requests over HTTP',
  async () => {
    const heldBytes = (): Promise<number> => heldByNode(node);
    await fuzz({ what: 'HTTP', each: AT_ONCE, heldBytes }, async (chance) => {
      const each = AT_ONCE / CONNECTIONS;
      const batches = Array.from({ length: CONNECTIONS }, () => Array.from({ length: each }, () => input(chance)));
      await Promise.all(batches.map(tryAll));
      expect((await node.get('/')).status).toBe(200);
    });
    // A request that was damaged may have written or removed this document, and others with its number.
    expect((await node.put('/films/_doc/1?refresh', { title: 'a film', n: 1 })).status).toBeLessThan(300);
    const query = { bool: { filter: [{ ids: { values: ['1'] } }, { term: { n: 1 } }] } };
    expect((await node.post('/films/_search', { query })).json().hits.total.value).toBe(1);
    expect(node.process.exitCode).toBeNull();
    expect((await node.logged()).map(({ msg }) => msg)).not.toContain('worker crashed');
  },
  FUZZ_TIMEOUT_MS,
);
