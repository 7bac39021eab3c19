import { expect, it } from 'vitest';
import { seededRandom } from '../../../src/base/random.js';
import { namePatterns } from '../../../src/cluster/security/privileges/name-patterns.js';
import { PatternCover } from '../../../src/cluster/security/privileges/patterns-together.js';

const covers = (patterns: readonly string[], pattern: string): boolean => new PatternCover().covers(patterns, pattern);

it('knows what several patterns cover together, and none of them alone', () => {
  expect(covers(['a*', '/[^a].*/', '/()/'], '*')).toBe(true);
  expect(covers(['a*', '/[^a].*/'], '*')).toBe(false);
  expect(covers(['logs-a*', 'logs-b*'], '/logs-(a|b).*/')).toBe(true);
  expect(covers(['logs-a*', 'logs-b*'], 'logs-*')).toBe(false);
  expect(covers(['?', '??*'], '?*')).toBe(true);
  expect(covers(['a?', 'a', 'a??*'], 'a*')).toBe(true);
  expect(covers(['/x{1,2}/', '/x{3,}/'], '/x+/')).toBe(true);
  expect(covers(['/x{1,2}/', '/x{4,}/'], '/x+/')).toBe(false);
  expect(covers(['/[a-m].*/', '/[n-z].*/'], '/[a-z]+/')).toBe(true);
  expect(covers(['a\\*', 'b'], '/a\\*|b/')).toBe(true);
});

it('says no to what it cannot read', () => {
  for (const pattern of ['/\\d+/', '/(/', '/[z-a]/', '/a{1000}/', '/*/', '/a{2,1}/']) {
    expect(covers(['a', 'b'], pattern), pattern).toBe(false);
    expect(covers([pattern, 'a*'], 'a*'), pattern).toBe(false);
  }
});

it('refuses what would take too long, in all of its questions together', () => {
  // That the tenth character from the end is an `a` takes a thousand states to know.
  const hard = `/(a|b)*a${'(a|b)'.repeat(16)}/`;
  expect(() => covers([hard, '/b*/'], '/(a|b)*/')).not.toThrow();
  const cover = new PatternCover();
  expect(() => {
    for (let times = 0; times < 10_000; times++) cover.covers([hard, '/[ab]*b[ab]{16}/', '/[ab]{0,16}/'], '/[ab]*/');
  }).toThrow('too complex');
});

it('counts what is built for each question', () => {
  const long = '/(a{0,100}){0,20}/';
  const asked = (times: number): void => {
    const cover = new PatternCover();
    for (let at = 0; at < times; at++) cover.covers(['a', 'b'], long);
  };
  expect(() => {
    asked(400);
  }).not.toThrow();
  expect(() => {
    asked(600);
  }).toThrow('too complex');
});

it('agrees with trying all short texts', () => {
  const random = seededRandom(11);
  const pieces = ['a', 'b', '*', '?', 'ab'];
  const made = (): string =>
    Array.from({ length: 1 + random.below(4) }, () => pieces[random.below(pieces.length)]).join('');
  const texts = [''];
  for (const text of texts) if (text.length < 7) for (const next of ['a', 'b', 'c']) texts.push(`${text}${next}`);
  let found = 0;
  for (let round = 0; round < 400; round++) {
    const patterns = Array.from({ length: 1 + random.below(4) }, made);
    const pattern = made();
    const [wide, narrow] = [namePatterns(patterns), namePatterns([pattern])];
    const isCovered = texts.every((text) => !narrow.matches(text) || wide.matches(text));
    expect(covers(patterns, pattern), `${patterns.join(' ')} of ${pattern}`).toBe(isCovered);
    if (isCovered) found++;
  }
  expect(found).toBeGreaterThan(30);
});
