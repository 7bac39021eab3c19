import { expect, it } from 'vitest';
import { sumOfJson } from '../../src/rest/cluster/nodes/sum-of-json.js';

it('adds what nodes count, member by member and place by place', () => {
  const left = { open: 1, name: 'a', pools: { search: { threads: 2 } }, steps: [{ count: 1 }, { count: 2 }] };
  const right = { open: 2, name: 'b', pools: { search: { threads: 3 }, get: { threads: 1 } }, steps: [{ count: 5 }] };
  expect(sumOfJson([left, right])).toEqual({
    open: 3,
    name: 'a',
    pools: { search: { threads: 5 }, get: { threads: 1 } },
    steps: [{ count: 6 }, { count: 2 }],
  });
  expect(sumOfJson([])).toEqual({});
});
