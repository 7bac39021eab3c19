import { describe, expect, it } from 'vitest';
import { namePatterns } from '../../../src/cluster/security/privileges/name-patterns.js';

/** Tries every way to match: slow, and obviously right. */
function matchesSlowly(pattern: string, text: string): boolean {
  const [first] = pattern;
  if (first === undefined) return text === '';
  const rest = pattern.slice(1);
  if (first === '*') return matchesSlowly(rest, text) || (text !== '' && matchesSlowly(pattern, text.slice(1)));
  if (text === '') return false;
  if (first === '\\' && rest !== '')
    return rest.charAt(0) === text.charAt(0) && matchesSlowly(rest.slice(1), text.slice(1));
  return (first === '?' || first === text.charAt(0)) && matchesSlowly(rest, text.slice(1));
}

function textsUpTo(length: number, alphabet: string): readonly string[] {
  let longest = [''];
  const all = [''];
  for (let at = 0; at < length; at++) {
    longest = longest.flatMap((text) => Array.from(alphabet, (character) => text + character));
    all.push(...longest);
  }
  return all;
}

/** A sequence that is the same every time. */
function* numbers(seed: number): Generator<number> {
  for (let state = seed; ;) {
    state = (Math.imul(state, 1_103_515_245) + 12_345) & 0x7fff_ffff;
    yield state >>> 8;
  }
}

function randomPatterns(count: number, alphabet: string): readonly string[] {
  const random = numbers(7);
  const next = (limit: number): number => Number(random.next().value) % limit;
  return Array.from({ length: count }, () =>
    Array.from({ length: next(6) }, () => alphabet.charAt(next(alphabet.length))).join(''),
  );
}

describe('patterns of names', () => {
  const names = textsUpTo(5, 'ab');

  it('match what trying every way matches', () => {
    for (const pattern of randomPatterns(400, 'ab**?\\')) {
      const compiled = namePatterns([pattern]);
      for (const name of names) {
        expect({ pattern, name, matches: compiled.matches(name) }).toEqual({
          ...{ pattern, name },
          matches: matchesSlowly(pattern, name),
        });
      }
    }
  });

  it('together match what one of them does', () => {
    const patterns = randomPatterns(60, 'ab*?');
    for (let at = 0; at + 3 <= patterns.length; at++) {
      const some = patterns.slice(at, at + 3);
      const compiled = namePatterns(some);
      for (const name of names) {
        expect(compiled.matches(name)).toBe(some.some((pattern) => matchesSlowly(pattern, name)));
      }
    }
  });

  it('cover a pattern only if they match all that it matches', () => {
    const patterns = randomPatterns(150, 'ab*?');
    let covered = 0;
    for (const wide of patterns) {
      const compiled = namePatterns([wide]);
      for (const narrow of patterns) {
        if (!compiled.covers(narrow)) continue;
        covered++;
        for (const name of names) {
          if (matchesSlowly(narrow, name))
            expect({ wide, narrow, name, is: compiled.matches(name) }).toMatchObject({ is: true });
        }
      }
    }
    expect(covered).toBeGreaterThan(patterns.length);
  });

  it('may be regular expressions over the whole name, without operators that ours lack', () => {
    const compiled = namePatterns(['/[^.].*/', '/log-[0-9]{4}/']);
    expect(['a', 'log-2020', '.a'].map((name) => compiled.matches(name))).toEqual([true, true, false]);
    for (const pattern of ['/a~b/', '/a&b/', '/^a/', '/a(/', '/(?=a)b/', '/<1-5>/']) {
      expect(() => namePatterns([pattern]), pattern).toThrow();
    }
  });
});
