import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../src/base/json-value.js';
import { unassignedCopy, unassignedInfo } from '../../src/cluster/shard-copies.js';
import { decide } from '../../src/cluster/deciders.js';
import { clusterWith, indexOf, NODE, NOW_MS } from './support.js';

function refusals(settings: JsonObject, primary = true): string[] {
  const state = clusterWith({ name: 'x', settings });
  const copy = unassignedCopy(0, primary, unassignedInfo('INDEX_CREATED', NOW_MS));
  const copies = primary ? [copy] : (state.routing.get('x')?.shards[0] ?? []);
  return decide(state, indexOf(state, 'x'), copy, copies, NODE)
    .filter(({ allowed }) => !allowed)
    .map(({ decider, explanation }) => `${decider}: ${explanation}`);
}

describe('deciders', () => {
  it.each<[JsonObject, string[]]>([
    [{}, []],
    [{ 'routing.allocation.include._name': 'fir*,other' }, []],
    [{ 'routing.allocation.require.rack': 'r1' }, []],
    [
      { 'routing.allocation.include._id': 'other' },
      ['filter: node does not match index setting [index.routing.allocation.include] filters [_id:"other"]'],
    ],
    [
      { 'routing.allocation.exclude._ip': '127.0.0.1' },
      ['filter: node matches index setting [index.routing.allocation.exclude] filters [_ip:"127.0.0.1"]'],
    ],
    [
      { 'routing.allocation.enable': 'none' },
      ['enable: no allocations are allowed due to index setting [index.routing.allocation.enable=none]'],
    ],
    [{ 'routing.allocation.enable': 'new_primaries' }, []],
    [{ 'routing.allocation.include._tier_preference': 'data_warm,data_hot' }, []],
  ])('with %j', (settings, expected) => {
    expect(refusals(settings)).toEqual(expected);
  });

  it('keeps a replica off the node of its primary', () => {
    expect(refusals({}, false)).toEqual([expect.stringMatching(/^same_shard: a copy of this shard is already/)]);
  });
});
