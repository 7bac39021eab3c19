/** Requests to the node that is measured, and times. */
import type { Server } from '../servers.js';

const DOCUMENTS_PER_REQUEST = 2_000;

export interface Answer {
  readonly count?: number;
  readonly snapshot?: { readonly state: string; readonly shards: { readonly total: number; readonly failed: number } };
  readonly indices?: Readonly<Record<string, IndexAnswer>>;
  readonly _scroll_id?: string;
  readonly hits?: { readonly hits: readonly Hit[] };
  readonly errors?: boolean;
}

export interface IndexAnswer {
  readonly shards?: Readonly<Record<string, readonly { readonly segments: Readonly<Record<string, Segment>> }[]>>;
  readonly total?: { readonly merges: { readonly current: number; readonly total: number } };
}

export interface Segment {
  readonly num_docs: number;
  readonly deleted_docs: number;
  readonly size_in_bytes: number;
}

export interface Hit {
  readonly _id: string;
  readonly _source: unknown;
}

/** Throws for every answer that is an error. */
export async function ask(server: Server, method: string, target: string, body?: string | object): Promise<Answer> {
  const isLines = typeof body === 'string';
  const response = await fetch(`${server.url}${target}`, {
    method,
    headers: { 'content-type': isLines ? 'application/x-ndjson' : 'application/json' },
    ...(body === undefined ? {} : { body: isLines ? body : JSON.stringify(body) }),
  });
  const text = await response.text();
  if (!response.ok) throw new Error(`${method} ${target}: ${response.status} ${text.slice(0, 500)}`);
  return JSON.parse(text) as Answer;
}

/** In seconds. */
export async function timed(work: () => Promise<unknown>): Promise<number> {
  const startedMs = performance.now();
  await work();
  return (performance.now() - startedMs) / 1_000;
}

/** Puts these lines, each under the number that it has among all, and flushes. */
export async function index(server: Server, name: string, lines: readonly Buffer[], step = 1): Promise<void> {
  const numbers = Array.from({ length: Math.ceil(lines.length / step) }, (_, at) => at * step);
  for (let from = 0; from < numbers.length; from += DOCUMENTS_PER_REQUEST) {
    const part = numbers.slice(from, from + DOCUMENTS_PER_REQUEST);
    const body = part.map((at) => `{"index":{"_id":"${at}"}}\n${lines[at]?.toString() ?? '{}'}\n`).join('');
    const { errors } = await ask(server, 'POST', `/${name}/_bulk?filter_path=errors`, body);
    if (errors !== false) throw new Error(`documents of [${name}] were refused`);
  }
  await ask(server, 'POST', `/${name}/_flush`);
}
