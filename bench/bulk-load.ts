/** Bulk requests as benches send them, and requests whose failure ends a bench. */
import type { Client, Dispatcher } from 'undici';
import type { Corpus } from './corpus.js';

export interface BulkBody {
  readonly body: Buffer;
  readonly documents: number;
}

const documentsPerRequest: Readonly<Record<string, number>> = { wiki: 1_000, logs: 5_000 };

/** The whole corpus as bodies of `_bulk`, without ids. */
export function bulkBodies(corpus: Corpus): BulkBody[] {
  const step = documentsPerRequest[corpus.name] ?? 2_000;
  const action = Buffer.from('{"index":{}}\n');
  const newline = Buffer.from('\n');
  const bodies: BulkBody[] = [];
  for (let from = 0; from < corpus.lines.length; from += step) {
    const lines = corpus.lines.slice(from, from + step);
    bodies.push({ body: Buffer.concat(lines.flatMap((line) => [action, line, newline])), documents: lines.length });
  }
  return bodies;
}

interface Answer {
  readonly status: number;
  readonly bytes: Buffer;
}

/**
 * The bytes of the answer; throws unless the status is below 300. What the client itself takes is part of what is measured, so
 * it does without streams.
 */
export async function call(
  client: Client,
  method: 'PUT' | 'POST' | 'GET' | 'DELETE',
  path: string,
  body?: Buffer | string,
): Promise<Buffer> {
  const contentType = path.includes('_bulk') ? 'application/x-ndjson' : 'application/json';
  const { status, bytes } = await exchange(client, {
    method,
    path,
    headers: { 'content-type': contentType },
    body: body ?? null,
  });
  if (status >= 300) throw new Error(`${method} ${path}: ${status} ${bytes.toString('utf8', 0, 500)}`);
  return bytes;
}

function exchange(client: Client, request: Dispatcher.DispatchOptions): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const pieces: Buffer[] = [];
    let status = 0;
    client.dispatch(request, {
      // Its presence tells the library which of its two kinds of handlers this is.
      onRequestStart: () => undefined,
      onResponseStart(_controller, code) {
        status = code;
      },
      onResponseData(_controller, piece) {
        pieces.push(piece);
      },
      onResponseEnd() {
        resolve({ status, bytes: Buffer.concat(pieces) });
      },
      onResponseError(_controller, error) {
        reject(error);
      },
    });
  });
}

/** Makes one segment of an index, which searches see then. */
export async function mergeToOne(client: Client, index: string): Promise<void> {
  await call(client, 'POST', `/${index}/_forcemerge?max_num_segments=1`);
  await call(client, 'POST', `/${index}/_refresh`);
}

/** Sends one body. What comes back is checked apart, so that the check is not in what is measured. */
export async function sendBulk(
  client: Client,
  index: string,
  { body, documents }: BulkBody,
): Promise<{ check(): void }> {
  const answer = await call(client, 'POST', `/${index}/_bulk`, body);
  return {
    /** Throws unless every document was taken. */
    check(): void {
      const { errors, items } = JSON.parse(answer.toString()) as { errors: boolean; items: unknown[] };
      if (!errors && items.length === documents) return;
      const text = answer.toString('utf8', 0, 500);
      throw new Error(`a bulk answer has errors, or ${items.length} items for ${documents}: ${text}`);
    },
  };
}
