/** One server of the comparison: the same documents in the same two indices, and searches of them. */
import { Client, errors } from 'undici';
import type { Chance } from './chance.js';
import type { SearchAnswer } from './difference.js';
import type { ComparedDocument } from './documents.js';
import { ANALYSIS, TEXTS, mappingsFor } from './fields.js';
import { at, isArray, type Json, type JsonObject } from '../json.js';

/** One segment without deletions, and several with documents that were deleted and replaced. */
export const INDICES = ['compare-one', 'compare-several'] as const;
export type IndexName = (typeof INDICES)[number];

/** The ways in which a search can be asked for. */
export const WAYS = ['search_after', 'scroll', 'msearch'] as const;
export type Way = (typeof WAYS)[number] | 'plain';

type Method = 'PUT' | 'POST' | 'DELETE';

const ATTEMPTS_MAX = 20;
const PAUSE_MS = 1_000;
const ANSWER_MS = 20_000;
/** The status that stands for no answer within that time. */
const NO_ANSWER = 599;
/** Bulks with a refresh after each, so that there are as many segments. */
const SEGMENTS = 4;

export class Side {
  readonly name: 'quarry' | 'opensearch';
  private readonly client: Client;

  constructor(name: 'quarry' | 'opensearch', url: string) {
    this.name = name;
    this.client = new Client(url, { headersTimeout: ANSWER_MS, bodyTimeout: ANSWER_MS });
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
    try {
      return await this.answered(method, path, body);
    } catch (error) {
      // A server that never comes to an end has failed at the request.
      if (error instanceof errors.HeadersTimeoutError) return { status: NO_ANSWER, body: 'no answer' };
      throw error;
    }
  }

  private async answered(method: Method, path: string, body?: string): Promise<SearchAnswer> {
    const contentType = /_bulk|_msearch/.test(path) ? 'application/x-ndjson' : 'application/json';
    const answer = await this.client.request({
      method,
      path,
      headers: { 'content-type': contentType },
      body: body ?? null,
    });
    const text = await answer.body.text();
    return { status: answer.statusCode, body: parsed(text) };
  }

  search(index: string, body: JsonObject, way: Way = 'plain'): Promise<SearchAnswer> {
    switch (way) {
      case 'search_after':
        return this.secondPage(index, body);
      case 'scroll':
        return this.scrolled(index, body);
      case 'msearch':
        return this.oneOfSeveral(index, body);
      case 'plain':
        return this.plain(index, body);
    }
  }

  private plain(index: string, body: JsonObject): Promise<SearchAnswer> {
    return this.send('POST', `/${index}/_search?request_cache=false`, JSON.stringify(body));
  }

  /** The hits behind those of the first page, where there are any. */
  private async secondPage(index: string, body: JsonObject): Promise<SearchAnswer> {
    const first = await this.plain(index, body);
    const hits = at(first.body, 'hits', 'hits');
    const last = isArray(hits) ? at(hits.at(-1), 'sort') : undefined;
    return last === undefined ? first : this.plain(index, { ...body, search_after: last });
  }

  private async scrolled(index: string, body: JsonObject): Promise<SearchAnswer> {
    const first = await this.send('POST', `/${index}/_search?scroll=1m`, JSON.stringify(body));
    const scroll_id = at(first.body, '_scroll_id');
    if (scroll_id === undefined) return first;
    const second = await this.send('POST', '/_search/scroll', JSON.stringify({ scroll: '1m', scroll_id }));
    await this.send('DELETE', '/_search/scroll', JSON.stringify({ scroll_id }));
    return second;
  }

  private async oneOfSeveral(index: string, body: JsonObject): Promise<SearchAnswer> {
    const lines = [{ index }, { size: 0 }, { index }, body].map((line) => `${JSON.stringify(line)}\n`).join('');
    const answer = await this.send('POST', '/_msearch', lines);
    const own = at(answer.body, 'responses', 1);
    const status = at(own, 'status');
    return own === undefined || typeof status !== 'number' ? answer : { status, body: own };
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
