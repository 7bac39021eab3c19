/** Searches made up at random, with the parsers that nodes have: one of a form that came before gets the plans that it would get if it were understood anew. */
import { expect, it } from 'vitest';
import {
  loadForms,
  PreparedSearches,
  type PreparedSearch,
  type SearchWords,
} from '../../../src/actions/searches/prepared-searches.js';
import { planWithFilters } from '../../../src/actions/searches/search-plans.js';
import { parseJsonBytes } from '../../../src/base/json.js';
import { seededRandom } from '../../../src/base/random.js';
import type { JsonObject } from '../../../src/base/json-value.js';
import { emptyClusterState } from '../../../src/cluster/state.js';
import { encodePlan } from '../../../src/search/plan/search-plan.js';
import { planSearch, readSearchRequest } from '../../../src/search/request/parse-search-request.js';
import { DEFAULT_SEARCH_SETTINGS } from '../../../src/search/settings.js';

await loadForms();

const STATE = emptyClusterState('test', 'uuid');
const FORMS = 1_500;
/** Many mean something elsewhere in a search. */
const TEXTS = [
  ...[
    'or',
    'and',
    'match',
    'query',
    'title',
    'tag',
    'asc',
    '_score',
    '*',
    ',',
    '}',
    '],[',
    ':',
    '',
    'a',
    'b',
    'ü',
    '日本',
  ],
  ...['alias', '1', '0', 'true', 'false', 'null', 'field', 'term', 'AUTO', 'best_fields', 'named', '{', '😀', '\u2028'],
  ...['\u007f', 'a b', 'now', 'snow', 'first', 'last'],
];

type Json = Record<string, unknown>;

class Maker {
  readonly #random = seededRandom(20);

  below(bound: number): number {
    return this.#random.below(bound);
  }

  pick<Value>(values: readonly Value[]): Value {
    return values[this.below(values.length)] as Value;
  }

  text(): string {
    return this.below(3) === 0 ? this.pick(TEXTS) + this.pick(TEXTS) : this.pick(TEXTS);
  }

  /** A body with a mark in place of each text, and how many there are. */
  template(): { readonly body: string; readonly texts: number } {
    let texts = 0;
    const text = (): string => `\u0001${texts++}\u0001`;
    const body: Json = { query: this.#query(2, text) };
    if (this.below(3) === 0) body['post_filter'] = this.#query(1, text);
    if (this.below(3) === 0) body['rescore'] = { query: { rescore_query: this.#query(1, text) }, window_size: 5 };
    if (this.below(3) === 0) {
      body['highlight'] = {
        fields: { title: { highlight_query: this.#query(1, text) } },
        pre_tags: [text()],
        post_tags: [''],
      };
    }
    if (this.below(3) === 0) {
      body['aggs'] = { x: { filter: this.#query(1, text), aggs: { y: { terms: { field: text() } } } } };
    }
    if (body['rescore'] === undefined && this.below(4) === 0)
      body['sort'] = [{ n: { order: 'asc', missing: text() } }, '_score'];
    if (this.below(4) === 0) body['_source'] = [text()];
    return { body: JSON.stringify(body), texts };
  }

  #field(): string {
    return this.pick(['title', 'tag', 'n', 'field', 'query']);
  }

  #query(depth: number, text: () => string): Json {
    const leaves = [
      () => ({ match: { [this.#field()]: text() } }),
      () => ({ match: { [this.#field()]: { query: text(), operator: this.pick(['or', 'and']), _name: text() } } }),
      () => ({ match_phrase: { [this.#field()]: text() } }),
      () => ({ match_phrase_prefix: { [this.#field()]: { query: text(), analyzer: text() } } }),
      () => ({ match_bool_prefix: { [this.#field()]: text() } }),
      () => ({
        multi_match: { query: text(), fields: [this.#field(), text()], type: this.pick(['phrase', 'best_fields']) },
      }),
      () => ({ term: { [this.#field()]: { value: text(), boost: 2 } } }),
      () => ({ terms: { [this.#field()]: [text(), text()] } }),
      () => ({ range: { [this.#field()]: { gte: text() } } }),
      () => ({ prefix: { [this.#field()]: text() } }),
      () => ({ query_string: { query: text() } }),
      () => ({ exists: { field: text() } }),
      () => ({ more_like_this: { fields: [this.#field()], like: text() } }),
    ];
    if (depth <= 0 || this.below(3) === 0) return this.pick(leaves)();
    const inner = (): Json => this.#query(depth - 1, text);
    return this.pick([
      () => ({ bool: { must: [inner(), inner()], filter: inner(), should: [inner()], must_not: [inner()] } }),
      () => ({ constant_score: { filter: inner() } }),
      () => ({ dis_max: { queries: [inner(), inner()] } }),
      () => ({ nested: { path: text(), query: inner(), inner_hits: { name: text() } } }),
      () => ({ has_child: { type: text(), query: inner() } }),
      () => ({ function_score: { query: inner(), functions: [{ filter: inner(), weight: 2 }] } }),
    ])();
  }
}

function withTexts(template: string, texts: readonly string[]): string {
  return template.replace(/\\u0001(\d+)\\u0001/g, (_, place: string) => texts[Number(place)] ?? '');
}

function wordsOf(body: string): SearchWords {
  return { target: '/i/_search?', body: Buffer.from(body, 'utf8').toString('latin1') };
}

/** Of an index, and of an alias of it with a filter. Throws what is wrong with the search. */
function understood(text: string): { readonly verbatim: Set<string>; readonly search: PreparedSearch } {
  const bytes = Buffer.from(text, 'utf8');
  const verbatim = new Set<string>();
  const body = { bytes, object: () => parseJsonBytes(bytes) as JsonObject, verbatim };
  const draft = readSearchRequest(body, {} as never, DEFAULT_SEARCH_SETTINGS);
  const plan = planSearch(draft, {} as never, { settings: DEFAULT_SEARCH_SETTINGS, nowMs: 1, scroll: false } as never);
  const shards = [[], [{ term: { tag: 'alias' } }]].map((filters) => {
    const target = { filters, index: { mapping: { fields: new Map() } } } as never;
    return { plan: encodePlan(planWithFilters(plan, target, DEFAULT_SEARCH_SETTINGS, 1)) };
  });
  return { verbatim, search: { planned: { request: { plan }, shards, skipped: 0 } } as unknown as PreparedSearch };
}

function plansOf({ planned }: PreparedSearch): string {
  return JSON.stringify([planned.request.plan, planned.shards.map(({ plan }) => Buffer.from(plan).toString('utf8'))]);
}

it('a search of a known form is what it would be understood as', () => {
  const maker = new Maker();
  let found = 0;
  for (let form = 0; form < FORMS; form++) {
    const { body, texts } = maker.template();
    const some = (): readonly string[] => Array.from({ length: texts }, () => maker.text());
    const models = [some(), some()];
    const kept = new PreparedSearches();
    try {
      for (const model of [...models, ...models]) {
        const said = withTexts(body, model);
        const { verbatim, search } = understood(said);
        kept.keep(wordsOf(said), STATE, search, verbatim);
      }
    } catch {
      continue; // Not every text may stand everywhere.
    }
    for (let round = 0; round < 6; round++) {
      const model = maker.pick(models);
      const said = withTexts(
        body,
        model.map((text) => (maker.below(3) === 0 ? maker.text() : text)),
      );
      if (models.some((known) => withTexts(body, known) === said)) continue;
      const prepared = kept.find(wordsOf(said), STATE);
      if (prepared === undefined) continue;
      found++;
      expect(plansOf(prepared), said).toBe(plansOf(understood(said).search));
    }
  }
  expect(found).toBeGreaterThan(FORMS / 4);
});
