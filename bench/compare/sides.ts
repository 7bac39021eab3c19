/** One server of the comparison: the same documents in the same two indices, and searches of them. */
import { Client } from 'undici';
import type { Chance } from './chance.js';
import type { SearchAnswer } from './difference.js';
import type { ComparedDocument } from './documents.js';
import { ANALYSIS, TEXTS, mappingsFor } from './fields.js';
import type { Json, JsonObject } from '../json.js';

/** One segment without deletions, and several with documents that were deleted and replaced. */
export const INDICES = ['compare-one', 'compare-several'] as const;
export type IndexName = (typeof INDICES)[number];

type Method = 'PUT' | 'POST' | 'DELETE';

const ATTEMPTS_MAX = 20;
const PAUSE_MS = 1_000;
/** Bulks with a refresh after each, so that there are as many segments. */
const SEGMENTS = 4;

export class Side {
  readonly name: 'quarry' | 'opensearch';
  private readonly client: Client;

  constructor(name: 'quarry' | 'opensearch', url: string) {
    this.name = name;
    this.client = new Client(url, { headersTimeout: 60_000, bodyTimeout: 60_000 });
  }

  close(): Promise<void> {
    return this.client.close();
  }

  /** Any answer, also one of an error. A server that has too much to do is asked again. */
  async send(method: Method, path: string, body?: string): Promise<SearchAnswer> {
    for (let attempt = 0; ; attempt++) {
      const answer = await this.sendOnce(method, path, body);
      if (answer.status !== 429 || attempt === ATTEMPTS_MAX) return answer;
      await new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
    }
  }

  private async sendOnce(method: Method, path: string, body?: string): Promise<SearchAnswer> {
    const contentType = path.includes('_bulk') ? 'application/x-ndjson' : 'application/json';
    const answer = await this.client.request({
      method,
      path,
      headers: { 'content-type': contentType },
      body: body ?? null,
    });
    const text = await answer.body.text();
    return { status: answer.statusCode, body: parsed(text) };
  }

  search(index: string, body: JsonObject): Promise<SearchAnswer> {
    return this.send('POST', `/${index}/_search?request_cache=false`, JSON.stringify(body));
  }

  /** Indexes of these names that were there before are lost. */
  async fill(documents: readonly ComparedDocument[], removed: ReadonlySet<string>): Promise<void> {
    for (const index of INDICES) {
      await this.send('DELETE', `/${index}`);
      const settings = {
        index: { number_of_shards: 1, number_of_replicas: 0, refresh_interval: -1, query: { default_field: TEXTS } },
        analysis: ANALYSIS,
      };
      await this.expect('PUT', `/${index}`, JSON.stringify({ settings, mappings: mappingsFor(this.name) }));
    }
    const kept = documents.filter(({ id }) => !removed.has(id));
    await this.bulk('compare-one', kept.map(indexed));
    await this.expect('POST', '/compare-one/_forcemerge?max_num_segments=1');
    const step = Math.ceil(documents.length / SEGMENTS);
    for (let from = 0; from < documents.length; from += step)
      await this.bulk('compare-several', documents.slice(from, from + step).map(indexed));
    await this.bulk('compare-several', [...removed].map(deleted));
  }

  private async bulk(index: string, operations: readonly string[]): Promise<void> {
    const answer = await this.expect('POST', `/${index}/_bulk?refresh=true`, operations.join(''));
    const failed = firstFailure(answer);
    if (failed !== undefined) throw new Error(`${this.name}: ${failed}`);
  }

  private async expect(method: 'PUT' | 'POST', path: string, body?: string): Promise<Json> {
    const { status, body: answer } = await this.send(method, path, body);
    if (status !== 200) throw new Error(`${this.name} ${method} ${path}: ${status} ${JSON.stringify(answer)}`);
    return answer;
  }
}

/** Ids of some documents, to be deleted. */
export function someIds(documents: readonly ComparedDocument[], chance: Chance): ReadonlySet<string> {
  return new Set(documents.filter(() => chance.yes(0.15)).map(({ id }) => id));
}

function parsed(text: string): Json {
  try {
    return JSON.parse(text) as Json;
  } catch {
    return text;
  }
}

function indexed({ id, routing, source }: ComparedDocument): string {
  return `${JSON.stringify({ index: { _id: id, routing } })}\n${JSON.stringify(source)}\n`;
}

const deleted = (id: string): string => `${JSON.stringify({ delete: { _id: id, routing: 'one' } })}\n`;

interface BulkAnswer {
  readonly errors: boolean;
  readonly items: readonly Readonly<Record<string, { readonly error?: Json }>>[];
}

function firstFailure(answer: Json): string | undefined {
  const { errors, items } = answer as unknown as BulkAnswer;
  if (!errors) return undefined;
  const failed = items.flatMap((item) => Object.values(item)).find(({ error }) => error !== undefined);
  return JSON.stringify(failed);
}
