/** Searches made up at random, with a seed: those of who may not read everything are compared with those of what he may read. */
import type { Json } from './node-harness.js';
import type { Ask } from './security-helpers.js';

/** Numbers from 0 to 1, always the same for a seed. */
export function randomFrom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}

export class SearchMaker {
  readonly #random: () => number;
  readonly #prefixes: readonly string[];

  constructor(seed: number, prefixes: readonly string[]) {
    this.#random = randomFrom(seed);
    this.#prefixes = prefixes;
  }

  search(): Json {
    return {
      size: 50,
      track_total_hits: true,
      query: { constant_score: { filter: this.#query(3) } },
      sort: [
        ...(this.#flip() ? [{ [this.#field('n')]: { order: 'desc', unmapped_type: 'long' } }] : []),
        { id: 'asc' },
      ],
      docvalue_fields: [this.#field('n'), this.#field('tag')],
      fields: [this.#field('title'), `${this.#pick(this.#prefixes)}k*`],
      aggs: { a: this.#aggregation(), b: this.#aggregation(), g: { global: {}, aggs: { c: this.#aggregation() } } },
    };
  }

  #pick<Value>(values: readonly Value[]): Value {
    return values[Math.floor(this.#random() * values.length)] as Value;
  }

  #flip(): boolean {
    return this.#random() < 0.5;
  }

  #field(name: string): string {
    return `${this.#pick(this.#prefixes)}${name}`;
  }

  #number(): number {
    return Math.floor(this.#random() * 6);
  }

  #query(depth: number): Json {
    const leaves: readonly (() => Json)[] = [
      () => ({ match_all: {} }),
      () => ({ term: { [this.#field('tag')]: `plain-${this.#number()}` } }),
      () => ({ match: { [this.#field('title')]: this.#pick(['common', 'plain1', 'hush2 plain3']) } }),
      () => ({ range: { [this.#field('n')]: { gte: this.#number() } } }),
      () => ({ range: { [this.#field('n')]: { lt: 77_770_003 } } }),
      () => ({ exists: { field: this.#field(this.#pick(['tag', 'n', 'title', 'box', 'kids', 'flat', 'flat.key'])) } }),
      () => ({ prefix: { [this.#field('tag')]: this.#pick(['p', 'h', 'plain-1']) } }),
      () => ({ wildcard: { [this.#field('title.raw')]: '*3*' } }),
      () => ({ ids: { values: ['a1', 'b1', 'a3'] } }),
      () => ({ multi_match: { query: 'common hush1', fields: ['*title', this.#field('tag')] } }),
      () => ({ query_string: { query: this.#pick(['hush*', 'common', `${this.#field('tag')}:*`]), lenient: true } }),
      () => ({ simple_query_string: { query: 'plain1 | hush1', fields: ['*'] } }),
      () => ({ nested: { path: this.#field('kids'), query: { match_all: {} }, ignore_unmapped: true } }),
      () => ({ geo_distance: { distance: '300km', [this.#field('place')]: [2, 2], ignore_unmapped: true } }),
      () => ({ fuzzy: { [this.#field('tag')]: 'plain-9' } }),
      () => ({ terms: { [this.#field('flat.key')]: ['plain-flat-1', 'hush-flat-1'] } }),
    ];
    if (depth === 0 || this.#random() < 0.4) return this.#pick(leaves)();
    const inner = (): Json[] => [this.#query(depth - 1), this.#query(depth - 1)];
    return this.#pick([
      () => ({ bool: { must: inner(), must_not: this.#query(depth - 1) } }),
      () => ({ bool: { should: inner(), minimum_should_match: 1 } }),
      () => ({ bool: { must_not: inner() } }),
      () => ({ has_child: { type: 'child', query: this.#query(depth - 1) } }),
      () => ({ has_parent: { parent_type: 'parent', query: this.#query(depth - 1) } }),
      () => ({ dis_max: { queries: inner() } }),
    ])();
  }

  #aggregation(): Json {
    return this.#pick([
      () => ({ terms: { field: this.#field('tag'), size: 100 } }),
      () => ({ terms: { field: this.#field('title.raw'), size: 100 } }),
      () => ({ stats: { field: this.#field('n') } }),
      () => ({ cardinality: { field: this.#field('tag') } }),
      () => ({ missing: { field: this.#field('n') } }),
      () => ({ histogram: { field: this.#field('n'), interval: 2, min_doc_count: 1 } }),
      () => ({ filter: this.#query(1), aggs: { d: { max: { field: this.#field('n') } } } }),
      () => ({ nested: { path: this.#field('kids') }, aggs: { d: { terms: { field: this.#field('kids.name') } } } }),
      () => ({ value_count: { field: this.#field('flat.key') } }),
      () => ({ geo_bounds: { field: this.#field('place') } }),
      () => ({ composite: { sources: [{ k: { terms: { field: this.#field('tag') } } }] } }),
      () => ({ top_hits: { size: 3, sort: ['id'], docvalue_fields: [this.#field('n')] } }),
      () => ({
        significant_terms: {
          field: this.#field('tag'),
          min_doc_count: 1,
          percentage: {},
          background_filter: { match_all: {} },
        },
      }),
    ])();
  }
}

/** What an answer tells, whichever index it is of and however long it took; `undefined` members are left out. */
export async function told(ask: Ask, index: string, body: Json): Promise<unknown> {
  const answer = await ask('POST', `/${index}/_search?allow_partial_search_results=false`, body);
  const text = answer.text.replaceAll(index, 'INDEX');
  const { hits, aggregations, error } = JSON.parse(text) as Json;
  return answer.status === 200 ? { hits, aggregations } : { status: answer.status, type: error.type };
}
