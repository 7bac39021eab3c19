import { expect, it } from 'vitest';
import {
  PREPARED_WORDS_MAX,
  VIEWS_MAX,
  PreparedSearches,
  type PreparedSearch,
  type SearchWords,
} from '../../../src/actions/searches/prepared-searches.js';
import { emptyClusterState } from '../../../src/cluster/state.js';

const STATE = emptyClusterState('test', 'uuid');
const NO_TEXTS: ReadonlySet<string> = new Set();

function said(body: string): SearchWords {
  return { target: '/_search?', body };
}

/** Of one shard that is asked this. */
function search(query: object, request: object = {}): PreparedSearch {
  const plan = Buffer.from(JSON.stringify({ query, now_ms: 5 }));
  return { planned: { request, shards: [{ plan }], skipped: 0 }, totalAsInt: false } as unknown as PreparedSearch;
}

it('finds what was kept, for the same words and the same state', () => {
  const kept = new PreparedSearches();
  const one = search({ match_all: {} });
  kept.keep(said('a'), STATE, one, NO_TEXTS);
  expect(kept.find(said('a'), STATE)).toBe(one);
  expect(kept.find(said('b'), STATE)).toBeUndefined();
  const later = { ...STATE, version: STATE.version + 1 };
  expect(kept.find(said('a'), later)).toBeUndefined();
  kept.keep(said('b'), later, one, NO_TEXTS);
  expect([kept.find(said('a'), later), kept.find(said('b'), later)]).toEqual([undefined, one]);
});

it('keeps searches of few views, and none of a state that is gone', () => {
  const kept = new PreparedSearches();
  const one = search({ match_all: {} });
  const views = Array.from({ length: VIEWS_MAX + 1 }, (_, at) => ({ ...STATE, version: STATE.version + at }));
  for (const view of views.slice(0, VIEWS_MAX)) kept.keep(said('a'), view, one, NO_TEXTS);
  expect(views.map((view) => kept.find(said('a'), view) === one)).toEqual([true, true, true, true, false]);
  // The first one is used again, so that the second gives way.
  for (const view of [views[0], views[VIEWS_MAX]]) kept.keep(said('a'), view ?? STATE, one, NO_TEXTS);
  expect(views.map((view) => kept.find(said('a'), view) === one)).toEqual([true, false, true, true, true]);
  kept.clear();
  expect(views.map((view) => kept.find(said('a'), view))).toEqual(views.map(() => undefined));
});

it.each([
  [search({ range: { field: 'at', from: { value: 'now-1d', inclusive: true } } }), 'asks for the moment'],
  [search({ percolate: { field: 'q' } }), 'asks queries that may ask for the moment'],
  [search({ script: { stored_id: 'x' } }), 'runs what is stored elsewhere'],
  [search({ match_all: {} }, { scroll: {} }), 'opens a scroll'],
  [search({ match_all: {} }, { pit: {} }), 'holds a view'],
  [search({ match_all: {} }, { scoredAlike: true }), 'has asked the shards before'],
])('does not keep what %j', (one) => {
  const kept = new PreparedSearches();
  kept.keep(said('a'), STATE, one, NO_TEXTS);
  expect(kept.find(said('a'), STATE)).toBeUndefined();
});

it('keeps no long words, and only so many', () => {
  const kept = new PreparedSearches();
  const one = search({ match_all: {} });
  const long = 'x'.repeat(PREPARED_WORDS_MAX + 1);
  kept.keep(said(long), STATE, one, NO_TEXTS);
  expect(kept.find(said(long), STATE)).toBeUndefined();
  for (let number = 0; number < 300; number++) kept.keep(said(String(number)), STATE, one, NO_TEXTS);
  expect(kept.find(said('0'), STATE)).toBeUndefined();
  expect(kept.find(said('299'), STATE)).toBe(one);
});
