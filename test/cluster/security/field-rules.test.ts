/** Rules for fields: what they match, and what two patterns have in common. */
import { describe, expect, it } from 'vitest';
import { commonPatterns } from '../../../src/cluster/security/common-patterns.js';
import { exceptsBelow, isLetThrough } from '../../../src/cluster/security/field-rules.js';
import { simpleMatch } from '../../../src/mapping/wildcard.js';
import { randomFrom } from '../../api/random-searches.js';

/** All texts of these letters up to a length. */
function texts(letters: string, length: number): readonly string[] {
  if (length === 0) return [''];
  const shorter = texts(letters, length - 1);
  return [...new Set([...shorter, ...shorter.flatMap((text) => letters.split('').map((letter) => text + letter))])];
}

describe('a pattern', () => {
  it('matches whole names', () => {
    for (const [pattern, name, matches] of [
      ['a', 'a', true],
      ['a', 'a.b', false],
      ['a*', 'a.b', true],
      ['*a*b', 'ab', true],
      ['ab*ba', 'aba', false],
      ['*', '', true],
      ['a*b*c', 'a.c.b.c', true],
    ] as const) {
      expect([pattern, name, simpleMatch(pattern, name)]).toEqual([pattern, name, matches]);
    }
  });

  it('has in common with another what both match', () => {
    const names = texts('ab', 6);
    const patterns = texts('ab*', 4);
    const random = randomFrom(3);
    for (let round = 0; round < 500; round++) {
      const pick = (): string => patterns[Math.floor(random() * patterns.length)] ?? '';
      const [left, right] = [pick(), pick()];
      const common = commonPatterns(left, right, { steps: 10_000 }) ?? [];
      for (const name of names) {
        const matches = common.some((pattern) => simpleMatch(pattern, name));
        expect([left, right, name, matches]).toEqual([
          ...[left, right, name],
          simpleMatch(left, name) && simpleMatch(right, name),
        ]);
      }
    }
  });

  it('takes so many steps and no more', () => {
    const spent = { steps: 1_000 };
    const found = commonPatterns('*a*b', '*c*d*', spent) ?? [];
    expect(found.length).toBeGreaterThan(1);
    const needed = 1_000 - spent.steps;
    expect(commonPatterns('*a*b', '*c*d*', { steps: needed })).toEqual(found);
    expect(commonPatterns('*a*b', '*c*d*', { steps: needed - 1 })).toBeUndefined();
    expect(commonPatterns('*a'.repeat(40), '*b'.repeat(40), { steps: 10_000 })).toBeUndefined();
  });
});

describe('a rule', () => {
  it('may hide something below a name', () => {
    for (const [pattern, name, hides] of [
      ['a.b', 'a', true],
      ['a', 'a', false],
      ['ab', 'a', false],
      ['a.b.c', 'a.b', true],
      ['a.b.c', 'a.c', false],
      ['a.*', 'a', true],
      ['*b', 'a', true],
      ['a*b', 'a', true],
      ['ab*', 'a', false],
      ['a.b*', 'a.c', false],
    ] as const) {
      expect([pattern, name, exceptsBelow({ grant: ['*'], except: [pattern] }, name)]).toEqual([pattern, name, hides]);
    }
  });

  it('hides what lies below an exception', () => {
    const rule = { grant: ['*'], except: ['a', 'b.c*'] };
    const names = ['a', 'a.b', 'ab', 'b', 'b.cd', 'b.c.d', 'b.d'];
    expect(names.filter((name) => isLetThrough(rule, name))).toEqual(['ab', 'b', 'b.d']);
    expect(isLetThrough({ grant: ['a'] }, 'a.b')).toBe(false);
  });
});
