/** Loads documents into the index of a point, as fast as they go or at a steady rate. */
import { setTimeout as sleep } from 'node:timers/promises';
import { Client } from 'undici';
import { seededRandom } from '../../../src/base/random.js';
import { call } from '../../bulk-load.js';
import type { Json } from '../../json.js';
import type { Steady } from '../point.js';

export interface LoadOptions {
  readonly url: string;
  readonly index: string;
  readonly lines: readonly Buffer[];
  readonly documents: number;
  readonly change: ((document: Json) => Json) | undefined;
  /** Requests at once. */
  readonly writers: number;
  readonly steady: Steady | undefined;
}

export interface Loaded {
  readonly seconds: number;
  /** Documents sent, with those that replaced others. */
  readonly operations: number;
  /** Of JSON, without action lines. */
  readonly jsonBytes: number;
}

const OPERATIONS_PER_REQUEST = 1_000;
const BYTES_PER_REQUEST = 4_000_000;
/** Requests a second of a steady load. */
const PACE = 10;
const NEWLINE = Buffer.from('\n');

interface Body {
  readonly body: Buffer;
  readonly operations: number;
  readonly jsonBytes: number;
}

/** Throws unless every document was taken. */
export async function loadDocuments(options: LoadOptions): Promise<Loaded> {
  const client = new Client(options.url, { headersTimeout: 0, bodyTimeout: 0, pipelining: 1 });
  const clients = [client, ...Array.from({ length: options.writers - 1 }, () => new Client(options.url))];
  const bodies = bodiesOf(options);
  const sum = { operations: 0, jsonBytes: 0 };
  const startMs = performance.now();
  const rate = options.steady?.rate ?? 0;
  try {
    await Promise.all(
      clients.map(async (each) => {
        for (const { body, operations, jsonBytes } of bodies) {
          const answer = await call(each, 'POST', `/${options.index}/_bulk?filter_path=errors`, body);
          if (answer.toString() !== '{"errors":false}') throw new Error('a bulk request had errors');
          sum.operations += operations;
          sum.jsonBytes += jsonBytes;
          if (rate > 0) await until(startMs + (1_000 * sum.operations) / rate);
        }
      }),
    );
  } finally {
    await Promise.all(clients.map((each) => each.close()));
  }
  return { seconds: (performance.now() - startMs) / 1_000, ...sum };
}

async function until(dueMs: number): Promise<void> {
  const restMs = dueMs - performance.now();
  if (restMs > 0) await sleep(restMs);
}

/** Shared by all writers: each takes the next one. */
function* bodiesOf({ lines, documents, change, steady }: LoadOptions): Generator<Body> {
  const rate = steady?.rate ?? 0;
  const most = rate > 0 ? Math.max(1, Math.round(rate / PACE)) : OPERATIONS_PER_REQUEST;
  const ids = idsOf(documents, steady?.updates ?? 0);
  let pieces: Buffer[] = [];
  let operations = 0;
  let jsonBytes = 0;
  for (const [at, id] of ids.entries()) {
    const line = lines[at % lines.length] ?? Buffer.from('{}');
    const document =
      change === undefined ? line : Buffer.from(JSON.stringify(change(JSON.parse(line.toString()) as Json)));
    pieces.push(Buffer.from(`{"index":{"_id":"${id}"}}\n`), document, NEWLINE);
    operations++;
    jsonBytes += document.length + 1;
    if (operations < most && jsonBytes < BYTES_PER_REQUEST && at < ids.length - 1) continue;
    yield { body: Buffer.concat(pieces), operations, jsonBytes };
    pieces = [];
    operations = 0;
    jsonBytes = 0;
  }
}

/** The id of each operation: so many documents in the end, with a share of operations that replace one of before. */
function idsOf(documents: number, updates: number): readonly number[] {
  const random = seededRandom(17);
  const ids: number[] = [];
  for (let next = 0; next < documents;) {
    const isUpdate = next > 0 && random.below(1_000_000) < updates * 1_000_000;
    ids.push(isUpdate ? random.below(next) : next++);
  }
  return ids;
}
