import { describe, expect, it } from 'vitest';
import type { JsonValue } from '../../src/base/json-value.js';
import { Place } from '../../src/search/body/place.js';
import { DEFAULT_SEARCH_SETTINGS } from '../../src/search/settings.js';
import { parseSuggest } from '../../src/search/suggest/parse-suggest.js';
import { reduceSuggestion, type ShardEntry, type SuggestOption } from '../../src/search/suggest/reduce.js';
import { renderSuggestions } from '../../src/search/suggest/render.js';
import type { Suggestion } from '../../src/search/suggest/suggest-plan.js';

function parse(suggest: JsonValue): readonly Suggestion[] {
  return parseSuggest(Place.ofValue(suggest), DEFAULT_SEARCH_SETTINGS);
}

function one(suggest: JsonValue): Suggestion {
  const [found] = parse(suggest);
  if (found === undefined) throw new Error('no suggestion');
  return found;
}

describe('suggest', () => {
  it('reads suggesters with the defaults of the API, in the order of their names', () => {
    const found = parse({
      text: 'amsterdma',
      b: { term: { field: 'body' } },
      a: { text: 'own', phrase: { field: 'body', size: 2 } },
      c: { prefix: 'am', completion: { field: 'title', fuzzy: true } },
    });
    expect(found.map(({ name, size }) => [name, size])).toEqual([
      ['a', 2],
      ['b', 5],
      ['c', 5],
    ]);
    expect(found[1]?.plan).toEqual({
      term: {
        text: 'amsterdma',
        field: 'body',
        shard_size: 5,
        spell: {
          suggest_mode: 'missing',
          accuracy: 0.5,
          sort: 'score',
          string_distance: 'internal',
          max_edits: 2,
          max_inspections: 5,
          max_term_freq: 0.01,
          prefix_length: 1,
          min_word_length: 4,
          min_doc_freq: 0,
        },
      },
    });
    expect(found[0]?.plan).toMatchObject({ phrase: { text: 'own', smoothing: { stupid_backoff: { discount: 0.4 } } } });
    expect(found[2]?.plan).toMatchObject({
      completion: { text: 'am', wanted: { fuzzy: { text: 'am', edits: 1, min_length: 3, prefix_length: 1 } } },
    });
  });

  it('reads what completions begin with', () => {
    const wanted = (texts: Record<string, JsonValue>, options: Record<string, JsonValue> = {}): unknown => {
      const { plan } = one({ a: { ...texts, completion: { field: 'f', ...options } } });
      return 'completion' in plan ? plan.completion.wanted : undefined;
    };
    expect(wanted({ text: 'a' })).toEqual({ prefix: { text: 'a' } });
    expect(wanted({ regex: 'a.*' }, { regex: { flags: 'ANYSTRING', max_determinized_states: 7 } })).toEqual({
      regex: { pattern: 'a.*', flags: ['ANYSTRING'], max_determinized_states: 7 },
    });
    expect(wanted({ prefix: 'a' }, { fuzzy: { fuzziness: 'AUTO:2,4', unicode_aware: true } })).toMatchObject({
      fuzzy: { edits: 2, unicode_aware: true },
    });
  });

  it.each<[JsonValue, string]>([
    [{ a: { term: { field: 'f' } } }, 'The required text option is missing'],
    [{ a: { text: 'x', term: {} } }, 'the required field option [field] is missing'],
    [{ a: { text: 'x' } }, 'missing suggestion object'],
    [{ a: { text: 'x', other: {} } }, 'Unknown suggester [other]'],
    [{ a: { text: 'x', term: { field: 'f', other: 1 } } }, "suggester[term] doesn't support field [other]"],
    [{ a: { text: 'x', term: { field: 'f', max_edits: 3 } } }, 'maxEdits must be between 1 and 2'],
    [{ a: { text: 'x', term: { field: 'f', size: 0 } } }, 'size must be positive'],
    [{ a: { text: 'x', term: { field: 'f', size: 10_001 } } }, 'must be at most [10000]'],
    [{ a: { text: 'x', term: { field: 'f', suggest_mode: 'no' } } }, 'Illegal suggest mode no'],
    [{ a: { text: 'x', phrase: { field: 'f', confidence: -1 } } }, 'confidence must be >= 0.0'],
    [{ a: { text: 'x', phrase: { field: 'f', highlight: { pre_tag: 'a' } } } }, 'Pre and post tag must both be null'],
    [
      { a: { text: 'x', phrase: { field: 'f', smoothing: { linear_interpolation: { bigram_lambda: 0.4 } } } } },
      'linear smoothing lambdas must sum to 1',
    ],
    [{ a: { regex: 'x', completion: { field: 'f', fuzzy: {} } } }, "can not use 'fuzzy' options with 'regex"],
    [{ a: { prefix: 'x', completion: { field: 'f', other: 1 } } }, '[completion] unknown field [other]'],
  ])('refuses %j', (suggest, reason) => {
    expect(() => parse(suggest)).toThrow(reason);
  });
});

function entry(options: readonly SuggestOption[], cutoff?: number): ShardEntry {
  return { text: 'x', offset: 0, length: 1, options, ...(cutoff === undefined ? {} : { cutoff }) };
}

const option = (text: string, score: number, freq?: number): SuggestOption => ({
  ...{ text, score },
  ...(freq === undefined ? {} : { freq }),
});

describe('what shards suggest', () => {
  it('is merged by text, with the sum of frequencies and the best score', () => {
    const byScore = one({ a: { text: 'x', term: { field: 'f', size: 2 } } });
    const shards = [
      [entry([option('b', 0.8, 1), option('a', 0.5, 9)])],
      [entry([option('c', 0.8, 3), option('b', 0.9, 1)])],
    ];
    expect(reduceSuggestion(byScore, shards)[0]?.options).toEqual([option('b', 0.9, 2), option('c', 0.8, 3)]);
    const byFrequency = one({ a: { text: 'x', term: { field: 'f', sort: 'frequency' } } });
    expect(reduceSuggestion(byFrequency, shards)[0]?.options.map(({ text }) => text)).toEqual(['a', 'c', 'b']);
  });

  it('has phrases above the highest cutoff alone', () => {
    const phrase = one({ a: { text: 'x', phrase: { field: 'f' } } });
    const shards = [[entry([option('a', 0.2)], 0.1)], [entry([option('b', 0.4)], 0.3)]];
    expect(reduceSuggestion(phrase, shards)[0]?.options).toEqual([option('b', 0.4)]);
  });

  it('has completions by score and text, once each where duplicates are skipped', () => {
    const shards = [[entry([option('b', 2), option('c', 1)])], [entry([option('a', 2), option('b', 1)])]];
    const texts = (skip: boolean): readonly string[] | undefined => {
      const completion = one({ a: { prefix: 'x', completion: { field: 'f', skip_duplicates: skip } } });
      return reduceSuggestion(completion, shards)[0]?.options.map(({ text }) => text);
    };
    expect(texts(false)).toEqual(['a', 'b', 'b', 'c']);
    expect(texts(true)).toEqual(['a', 'b', 'c']);
  });

  it('cannot be merged where analyzers differ', () => {
    const term = one({ a: { text: 'x', term: { field: 'f' } } });
    expect(() => reduceSuggestion(term, [[entry([])], []])).toThrow('Suggest entries have different sizes');
    expect(() => reduceSuggestion(term, [[entry([])], [{ ...entry([]), text: 'y' }]])).toThrow('different text');
    expect(reduceSuggestion(term, [])).toEqual([]);
  });

  it('is printed with hits as they are', () => {
    const suggestion = one({ a: { prefix: 'x', completion: { field: 'f' } } });
    const hit = '{"_id":"1","_source":{"n":12345678901234567890}}';
    const entries = [entry([{ text: 'b', score: 2, hit, contexts: { color: ['red'] } }])];
    expect(renderSuggestions([{ suggestion, entries }], true)).toBe(
      '{"completion#a":[{"text":"x","offset":0,"length":1,"options":[{"text":"b","_id":"1",' +
        '"_source":{"n":12345678901234567890},"contexts":{"color":["red"]}}]}]}',
    );
  });
});
