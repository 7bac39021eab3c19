import { describe, expect, it } from 'vitest';
import {
  addSearchFigures,
  FlushCounter,
  OTHER_GROUPS,
  SEARCH_GROUPS_MAX,
  SearchGroups,
  WriteCounter,
} from '../../src/shard/activity.js';

describe('SearchGroups', () => {
  it('counts a search once for each group that it names', () => {
    const groups = new SearchGroups();
    groups.queried(['a', 'b', 'a'], 2.4);
    groups.queried(['a'], 1.4);
    groups.fetched(['a'], 0.2);
    expect(groups.figures()).toEqual({
      a: { queryTotal: 2, queryTimeMs: 4, fetchTotal: 1, fetchTimeMs: 0 },
      b: { queryTotal: 1, queryTimeMs: 2, fetchTotal: 0, fetchTimeMs: 0 },
    });
  });

  it('keeps so many groups and counts the rest together', () => {
    const groups = new SearchGroups();
    for (let at = 0; at < SEARCH_GROUPS_MAX + 2; at++) groups.queried([`group ${at}`], 1);
    const figures = groups.figures();
    expect(Object.keys(figures)).toHaveLength(SEARCH_GROUPS_MAX + 1);
    expect(figures[OTHER_GROUPS]?.queryTotal).toBe(2);
  });

  it('adds up over shards', () => {
    const one = { queryTotal: 1, queryTimeMs: 2, fetchTotal: 3, fetchTimeMs: 4 };
    expect(addSearchFigures(one, one)).toEqual({ queryTotal: 2, queryTimeMs: 4, fetchTotal: 6, fetchTimeMs: 8 });
  });
});

describe('FlushCounter', () => {
  it('tells those that the shard began itself', () => {
    const counter = new FlushCounter();
    counter.ended(1.6, false);
    counter.ended(2.6, true);
    expect(counter.figures()).toEqual({ total: 2, periodic: 1, timeMs: 4 });
  });
});

describe('WriteCounter', () => {
  it('counts requests, and documents by the kind of their answers; the newest request weighs a tenth of the means', () => {
    const counter = new WriteCounter();
    counter.ended(10, 1_000);
    counter.ended(20, 2_000);
    counter.answered([200, 201, 409]);
    expect(counter.figures()).toEqual({
      requests: 2,
      timeMs: 30,
      bytes: 3_000,
      meanTimeMs: 11,
      meanBytes: 1_100,
      documentsByStatus: { 2: 2, 4: 1 },
    });
  });
});
