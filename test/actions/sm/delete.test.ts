import { expect, it } from 'vitest';
import { namesIn } from '../../../src/actions/sm/delete.js';

it('names at most a hundred snapshots, and says how many more there are', () => {
  const snapshots = (count: number): readonly { readonly name: string }[] =>
    Array.from({ length: count }, (_, at) => ({ name: `s${at}` }));
  expect(namesIn(snapshots(2))).toBe('[s0, s1]');
  expect(namesIn(snapshots(100))).toMatch(/^\[s0, .*, s99\]$/);
  expect(namesIn(snapshots(101))).toMatch(/^\[s0, .*, s99, and 1 more\]$/);
});
