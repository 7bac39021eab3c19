/** What searches of clients consist of, counted by all threads of a node in memory that they share: for each name that there is, one number. */
import type { JsonObject } from '../../base/json-value.js';
import { QUERY_PARSERS } from '../../search/query/query-parsers.js';
import { RETRIEVERS } from '../../search/request/retriever.js';

type Kind = 'queries' | 'rescorers' | 'sections' | 'retrievers';

export interface SearchUsage extends Readonly<Record<Kind, Readonly<Record<string, number>>>> {
  /** Searches with a body. */
  readonly total: number;
}

/** By the member of the body. */
const SECTIONS: Readonly<Record<string, string>> = {
  ...{ aggregations: 'aggs', aggs: 'aggs', collapse: 'collapse', docvalue_fields: 'docvalue_fields', fields: 'fields' },
  ...{ highlight: 'highlight', indices_boost: 'indices_boost', knn: 'knn', min_score: 'min_score', pit: 'pit' },
  ...{ post_filter: 'post_filter', query: 'query', rescore: 'rescore', retriever: 'retriever' },
  ...{ runtime_mappings: 'runtime_mappings', script_fields: 'script_fields', search_after: 'search_after' },
  ...{ slice: 'slice', sort: 'sort', stats: 'stats', stored_fields: 'stored_fields', suggest: 'suggest' },
  ...{ terminate_after: 'terminate_after', _source: '_source' },
};
const RESCORERS = ['query', 'script', 'learning_to_rank'];

/** The number at place 0 is the total. */
const PLACES = new Map<string, number>();
for (const [kind, names] of Object.entries({
  queries: QUERY_PARSERS.keys(),
  sections: new Set(Object.values(SECTIONS)),
  rescorers: RESCORERS,
  retrievers: Object.keys(RETRIEVERS),
} satisfies Record<Kind, Iterable<string>>)) {
  for (const name of names) PLACES.set(`${kind}.${name}`, PLACES.size + 1);
}

/** What a search is to be counted as; one without a body as nothing. `queries`: names of those in it. */
export function usesOf(body: JsonObject | undefined, queries: ReadonlySet<string>): readonly number[] {
  if (body === undefined) return [];
  const names = new Set([...queries].map((name) => `queries.${name}`));
  for (const [member, value] of Object.entries(body)) {
    const section = Object.hasOwn(SECTIONS, member) ? SECTIONS[member] : undefined;
    if (section === undefined || saysNothing(value)) continue;
    names.add(`sections.${section}`);
    if (section === 'retriever') for (const name of Object.keys(value as JsonObject)) names.add(`retrievers.${name}`);
    if (section !== 'rescore') continue;
    for (const each of [value].flat() as JsonObject[]) {
      for (const name of Object.keys(each)) names.add(`rescorers.${name}`);
    }
  }
  return [0, ...[...names].flatMap((name) => PLACES.get(name) ?? [])];
}

/** As is `_source: true`, which is the same as no word of it. */
function saysNothing(value: unknown): boolean {
  return value === null || value === true || (typeof value === 'object' && Object.keys(value).length === 0);
}

export function countUses(words: BigInt64Array, uses: readonly number[]): void {
  for (const place of uses) if (place < words.length) Atomics.add(words, place, 1n);
}

/** Names that were never used are left out. */
export function searchUsage(words: BigInt64Array): SearchUsage {
  const usage: Record<Kind, Record<string, number>> = { queries: {}, rescorers: {}, sections: {}, retrievers: {} };
  for (const [key, place] of PLACES) {
    const count = Number(words[place] ?? 0n);
    const dot = key.indexOf('.');
    if (count > 0) usage[key.slice(0, dot) as Kind][key.slice(dot + 1)] = count;
  }
  return { total: Number(words[0] ?? 0n), ...usage };
}
