import { describe, expect, it } from 'vitest';
import { seededRandom } from '../../src/base/random.js';
import { differenceOf, isAnyMap, plainMap, withEntries } from '../../src/base/shared-map.js';

interface Value {
  readonly of: number;
}

type Values = ReadonlyMap<string, Value>;

describe('maps that share what did not change', () => {
  it('hold what plain ones hold after any changes, and differ by these', () => {
    const random = seededRandom(7);
    const upTo = (limit: number): number => random.below(limit);
    let map: Values = new Map();
    const plain = new Map<string, Value>();
    let earlier: Values = map;
    let plainEarlier = new Map(plain);
    for (let step = 0; step < 2_000; step++) {
      const key = `k${upTo(300)}`;
      const [put, removed] = upTo(4) === 0 ? [[], [key]] : [[[key, { of: step }] as const], []];
      for (const each of removed) plain.delete(each);
      for (const [name, value] of put) plain.set(name, value);
      map = withEntries<Value>(map, put, removed);
      expect(map.size).toBe(plain.size);
      expect(map.get(key)).toBe(plain.get(key));
      expect(map.has(key)).toBe(plain.has(key));
      if (step % 50 !== 0) continue;
      expect(sorted(map)).toEqual(sorted(plain));
      expect([...map.keys()].sort()).toEqual([...plain.keys()].sort());
      expect(new Set(map.values())).toEqual(new Set(plain.values()));
      expect(sorted(earlier)).toEqual(sorted(plainEarlier));
      const there = differenceOf(earlier, map);
      expect(sorted(withEntries(earlier, there.put, there.removed))).toEqual(sorted(plain));
      const back = differenceOf(map, earlier);
      expect(sorted(withEntries(map, back.put, back.removed))).toEqual(sorted(plainEarlier));
      for (const [name, value] of there.put) expect(plainEarlier.get(name)).not.toBe(value);
      earlier = map;
      plainEarlier = new Map(plain);
    }
    expect(map.size).toBeGreaterThan(100);
  });

  it('keep their order, and take a removed entry and an added one in the same change', () => {
    const many: Values = new Map(Array.from({ length: 500 }, (_, at) => [`k${at}`, { of: at }]));
    const changed = withEntries(many, [['new', { of: 1 }]], ['k0', 'absent']);
    expect([...changed.keys()]).toEqual([...[...many.keys()].slice(1), 'new']);
    expect(changed.size).toBe(500);
    expect([...withEntries(changed, [['k0', { of: 2 }]], ['k0']).keys()]).toContain('k0');
  });

  it('become plain maps for other threads', () => {
    const many: Values = new Map(Array.from({ length: 500 }, (_, at) => [`k${at}`, { of: at }]));
    const shared = withEntries(many, [['new', { of: 1 }]]);
    expect(shared).not.toBeInstanceOf(Map);
    expect(isAnyMap(shared)).toBe(true);
    expect(isAnyMap({})).toBe(false);
    expect(plainMap(shared)).toEqual(new Map([...many, ['new', { of: 1 }]]));
    const visited: string[] = [];
    shared.forEach((value, key, map) => {
      expect(map.get(key)).toBe(value);
      visited.push(key);
    });
    expect(visited).toEqual([...shared.keys()]);
  });

  it('cost a step of each change that does not grow with their size', () => {
    const steps = (size: number): number => {
      let looks = 0;
      class Watched extends Map<string, Value> {
        override [Symbol.iterator](): MapIterator<[string, Value]> {
          looks += this.size;
          return super[Symbol.iterator]();
        }
      }
      const base = new Watched(Array.from({ length: size }, (_, at) => [`k${at}`, { of: at }] as const));
      const changed = withEntries<Value>(base, [['k1', { of: -1 }]]);
      expect(differenceOf<Value>(base, changed).put).toEqual([['k1', { of: -1 }]]);
      return looks;
    };
    expect(steps(10_000)).toBe(0);
  });
});

function sorted(map: Values): readonly (readonly [string, Value])[] {
  return [...map].sort(([left], [right]) => (left < right ? -1 : 1));
}
