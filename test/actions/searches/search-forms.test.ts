/** Searches that differ from one that came before in nothing but texts which its plans have as they are. */
import { describe, expect, it } from 'vitest';
import { loadForms, PreparedSearches, type PreparedSearch } from '../../../src/actions/searches/prepared-searches.js';
import {
  CHANGING_TEXTS_MAX,
  PLAN_BYTES_MAX,
  SHARDS_MAX,
  TEXTS_MAX,
} from '../../../src/actions/searches/search-form.js';
import { FORMS_MAX, SKELETONS_MAX } from '../../../src/actions/searches/search-forms.js';
import { emptyClusterState } from '../../../src/cluster/state.js';

await loadForms();

const STATE = emptyClusterState('test', 'uuid');
const TARGET = '/i/_search?';

function words(body: object | string): { target: string; body: string } {
  const text = typeof body === 'string' ? body : JSON.stringify(body);
  return { target: TARGET, body: Buffer.from(text, 'utf8').toString('latin1') };
}

/** Of two shards that are asked this, with a filter for the second. */
function search(query: object, request: object = {}, shard: object = {}): PreparedSearch {
  const plan = { query, now_ms: 5 };
  const shards = [plan, { ...plan, filter: { term: 'only' } }].map((each) => ({
    plan: Buffer.from(JSON.stringify(each)),
    ...shard,
  }));
  return {
    planned: { request: { plan, ...request }, shards, skipped: 0 },
    totalAsInt: false,
  } as unknown as PreparedSearch;
}

function match(text: string, operator = 'or'): object {
  return { query: { match: { title: { query: text, operator } } } };
}

/** What was kept of two searches like {@link match}. */
function keptOf(...texts: readonly string[]): PreparedSearches {
  const kept = new PreparedSearches();
  for (const text of texts) kept.keep(words(match(text)), STATE, search(match(text)), new Set([text]));
  return kept;
}

function plansOf(found: PreparedSearch | undefined): unknown[] | undefined {
  const shards = found?.planned.shards.map(({ plan }) => JSON.parse(Buffer.from(plan).toString('utf8')) as unknown);
  return shards === undefined ? undefined : [found?.planned.request.plan, ...shards];
}

describe('a search of a form that came twice', () => {
  const kept = keptOf('one', 'two');

  it.each(['three', '', 'a,b:{}', 'snow, knowledge', 'schöne Grüße', '日本 \u2028 🙂', 'x'.repeat(5_000)])(
    'has the text %j',
    (text) => {
      const found = kept.find(words(match(text)), STATE);
      expect(plansOf(found)).toEqual(plansOf(search(match(text))));
      expect(found?.totalAsInt).toBe(false);
    },
  );

  it.each([
    ['which may name the moment', words(match('now-1d'))],
    ['with an escape', words(match('a"b'))],
    ['that is no JSON', words('{"query":{"match":{"title":{"query":"a\nb","operator":"or"}}}}')],
    ['that is no UTF-8', { target: TARGET, body: words(match('a\u00ff')).body.replace('\u00c3\u00bf', '\u00ff') }],
    ['with another operator', words(match('three', 'and'))],
    ['in other words around it', words(JSON.stringify(match('three'), undefined, 1))],
    ['of another index', { ...words(match('three')), target: '/other/_search?' }],
  ])('is understood anew for a text %s', (_, said) => {
    expect(kept.find(said, STATE)).toBeUndefined();
  });

  it('is forgotten with its cluster state', () => {
    const later = { ...STATE, version: STATE.version + 1 };
    const own = keptOf('one', 'two');
    own.keep(words('{}'), later, search({}), new Set());
    expect(own.find(words(match('three')), later)).toBeUndefined();
  });
});

it('needs two searches', () => {
  expect(keptOf('one').find(words(match('three')), STATE)).toBeUndefined();
});

describe('no text changes', () => {
  const find = (body: object, verbatim: readonly string[], prepared: PreparedSearch, other: object): unknown => {
    const kept = new PreparedSearches();
    for (let round = 0; round < 2; round++) kept.keep(words(body), STATE, prepared, new Set(verbatim));
    return kept.find(words(other), STATE);
  };

  it('that the parser has not passed on', () => {
    expect(find(match('one'), [], search(match('one')), match('two'))).toBeUndefined();
  });

  it('that stands twice in the body, or in a plan', () => {
    expect(find(match('or'), ['or'], search(match('or')), match('two'))).toBeUndefined();
    expect(find(match('only'), ['only'], search(match('only')), match('two'))).toBeUndefined();
    expect(find(match('query'), ['query'], search(match('query')), match('two'))).toBeUndefined();
  });

  it('of a search whose log shows the body, or whose answer is kept under the name of its plan', () => {
    expect(find(match('one'), ['one'], search(match('one'), { source: '{}' }), match('two'))).toBeUndefined();
    expect(
      find(match('one'), ['one'], search(match('one'), {}, { cache: { key: 'k' } }), match('two')),
    ).toBeUndefined();
    expect(find(match('one'), ['one'], search(match('one')), match('two'))).toBeDefined();
  });
});

it('several texts change, in the order of the plan', () => {
  const both = (first: string, second: string): object => ({ must: [{ term: second }, { match: first }] });
  const body = (first: string, second: string): object => ({ match: first, filter: second });
  const kept = new PreparedSearches();
  for (let round = 0; round < 2; round++) {
    kept.keep(words(body('a', 'b')), STATE, search(both('a', 'b')), new Set(['a', 'b']));
  }
  const found = kept.find(words(body('longer', 'ü')), STATE);
  expect(plansOf(found)).toEqual(plansOf(search(both('longer', 'ü'))));
});

/** Two searches with these texts that change, in an object of the body and in one of the plan. */
function keptWith(texts: readonly string[], fixed: readonly string[] = [], shard: object = {}): PreparedSearches {
  const kept = new PreparedSearches();
  for (let round = 0; round < 2; round++) {
    kept.keep(words({ fixed, texts }), STATE, search({ texts }, {}, shard), new Set(texts));
  }
  return kept;
}

const numbered = (count: number, prefix: string): string[] =>
  Array.from({ length: count }, (_, at) => `${prefix}${at}`);

describe('limits', () => {
  it.each([
    [CHANGING_TEXTS_MAX, true],
    [CHANGING_TEXTS_MAX + 1, false],
  ])('%i texts change: %s', (count, isKept) => {
    const kept = keptWith(numbered(count, 'a'));
    expect(kept.find(words({ fixed: [], texts: numbered(count, 'b') }), STATE) !== undefined).toBe(isKept);
  });

  it.each([
    [TEXTS_MAX, true],
    [TEXTS_MAX + 1, false],
  ])('%i texts in the body: %s', (count, isKept) => {
    const fixed = numbered(count - 1, 'x');
    const kept = keptWith(['a'], fixed);
    expect(kept.find(words({ fixed, texts: ['b'] }), STATE) !== undefined).toBe(isKept);
  });

  it.each([
    [0, true],
    [1, false],
  ])('plans of %i bytes more than the limit: %s', (more, isKept) => {
    const empty = search({ texts: ['a'], filling: '' }).planned.shards.reduce((sum, { plan }) => sum + plan.length, 0);
    const room = PLAN_BYTES_MAX - empty;
    // In both plans; an odd byte is in the text, which is in both as well.
    const filled = search({ texts: ['a'], filling: 'x'.repeat(Math.floor(room / 2) + more) });
    const kept = new PreparedSearches();
    for (let round = 0; round < 2; round++) kept.keep(words({ text: 'a' }), STATE, filled, new Set(['a']));
    expect(kept.find(words({ text: 'b' }), STATE) !== undefined).toBe(isKept);
  });

  it.each([
    [SHARDS_MAX, true],
    [SHARDS_MAX + 1, false],
  ])('%i shards: %s', (count, isKept) => {
    const one = search({ text: 'a' });
    const shards = Array.from({ length: count }, () => one.planned.shards[0]);
    const many = { ...one, planned: { ...one.planned, shards } } as PreparedSearch;
    const kept = new PreparedSearches();
    for (let round = 0; round < 2; round++) kept.keep(words({ text: 'a' }), STATE, many, new Set(['a']));
    expect(kept.find(words({ text: 'b' }), STATE) !== undefined).toBe(isKept);
  });

  it('remembers the forms that were used last, whatever comes once', () => {
    const kept = new PreparedSearches();
    const body = (number: number, text: string): object => ({ [`m${number}`]: text });
    const keep = (number: number): void => {
      kept.keep(words(body(number, 'a')), STATE, search({ text: 'a' }), new Set(['a']));
    };
    for (let number = 0; number <= SKELETONS_MAX; number++) {
      keep(number);
      keep(number);
      if (number > 0) expect(kept.find(words(body(0, `b${number}`)), STATE)).toBeDefined();
    }
    expect(kept.find(words(body(1, 'c')), STATE)).toBeUndefined();
    expect(kept.find(words(body(2, 'c')), STATE)).toBeDefined();
    for (let number = 1_000; number <= 1_000 + SKELETONS_MAX; number++) keep(number);
    expect(kept.find(words(body(0, 'c')), STATE)).toBeDefined();
    // The mark of the first of these is gone.
    keep(1_000);
    expect(kept.find(words(body(1_000, 'c')), STATE)).toBeUndefined();
  });

  it('makes so many forms with the same skeleton', () => {
    const kept = new PreparedSearches();
    const body = (field: string, text: string): object => ({ field, text });
    const fields = numbered(FORMS_MAX + 1, 'f');
    for (const field of ['mark', ...fields]) {
      kept.keep(words(body(field, 'a')), STATE, search({ field, text: 'a' }), new Set(['a']));
    }
    const found = fields.map((field) => kept.find(words(body(field, 'b')), STATE) !== undefined);
    expect(found).toEqual([...Array.from({ length: FORMS_MAX }, () => true), false]);
  });
});
