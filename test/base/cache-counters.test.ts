/** Caches of JavaScript: their bounds, and what threads count of them in memory that they share. */
import { describe, expect, it } from 'vitest';
import { CacheCounter, cacheWords, shareCacheCounts } from '../../src/base/cache-counters.js';
import { Memo } from '../../src/base/memo.js';
import { cacheFigures } from '../../src/base/thread-figures.js';

const words = cacheWords(2);
const options = { counter: new CacheCounter('subjects'), valuesMax: 3, textMax: 4 };
const figures = (): unknown => cacheFigures(words)['subjects'];

describe('a memo', () => {
  const memo = new Memo<string>(options);
  const get = (text: string): string => memo.get(text, () => `of ${text}`);

  it('counts what it found, also before it is known where', () => {
    expect([get('a'), get('a'), get('b')]).toEqual(['of a', 'of a', 'of b']);
    expect(figures()).toEqual({ hits: 0, misses: 0, evictions: 0 });
    shareCacheCounts(words, 1);
    expect(figures()).toEqual({ hits: 1, misses: 2, evictions: 0 });
    shareCacheCounts(words, 1);
    expect(figures()).toEqual({ hits: 1, misses: 2, evictions: 0 });
  });

  it('holds as many as it may, and starts anew with one more', () => {
    get('c');
    expect([get('a'), get('b'), get('c')]).toEqual(['of a', 'of b', 'of c']);
    expect(figures()).toEqual({ hits: 4, misses: 3, evictions: 0 });
    get('d');
    expect(figures()).toEqual({ hits: 4, misses: 4, evictions: 3 });
    get('a');
    expect(figures()).toEqual({ hits: 4, misses: 5, evictions: 3 });
  });

  it('keeps texts up to its limit, and none that are longer', () => {
    get('1234');
    get('1234');
    get('12345');
    get('12345');
    expect(figures()).toEqual({ hits: 5, misses: 8, evictions: 3 });
  });

  it('keeps nothing of what could not be made', () => {
    const fail = (): never => {
      throw new Error('no');
    };
    expect(() => memo.get('f', fail)).toThrow('no');
    expect(memo.get('f', () => 'made')).toBe('made');
  });
});

it('adds up what all threads counted', () => {
  const table = cacheWords(3);
  table.fill(1);
  expect(cacheFigures(table)['searches']).toEqual({ hits: 3, misses: 3, evictions: 3 });
  expect(() => {
    shareCacheCounts(cacheWords(3), 3);
  }).toThrow('there is no row [3]');
});
