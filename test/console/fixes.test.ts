/** Requests that the console offers for a shard without a place, from what the deciders say. */
import { expect, test } from 'vitest';
import type { Explanation } from '../../src/console/pages/shards/explanation.js';
import { fixesOf } from '../../src/console/pages/shards/fixes.js';

function explained(decider: string, explanation: string, primary = false): Explanation {
  const deciders = [{ decider, decision: 'NO' as const, explanation }];
  const node = { node_name: 'n1', node_decision: 'no', deciders };
  const copy = { index: 'films', shard: 0, primary, current_state: 'unassigned', can_allocate: 'no' };
  return { ...copy, node_allocation_decisions: [node] };
}

const requests = (explanation: Explanation, replicas = 1): readonly unknown[] =>
  fixesOf(explanation, replicas).map(({ method, path, body }) => [method, path, body]);

test('two copies that would share a node: fewer replicas, never of a primary', () => {
  const body = { index: { number_of_replicas: 1 } };
  expect(requests(explained('same_shard', 'a copy'), 2)).toEqual([['PUT', 'films/_settings', body]]);
  expect(requests(explained('same_shard', 'a copy', true), 2)).toEqual([]);
});

test('a copy that failed too often: another try', () => {
  const explanation = explained('max_retry', 'exceeded');
  expect(requests(explanation)).toEqual([['POST', '_cluster/reroute?retry_failed=true', undefined]]);
});

test('settings that forbid it: reset where they are', () => {
  const ofCluster = explained(
    'enable',
    'no allocations due to cluster setting [cluster.routing.allocation.enable=none]',
  );
  const nothing = { 'cluster.routing.allocation.enable': null };
  expect(requests(ofCluster)).toEqual([['PUT', '_cluster/settings', { persistent: nothing, transient: nothing }]]);
  const filters = 'index setting [index.routing.allocation.require] filters [rack:"a OR b" AND zone:"c"]';
  expect(requests(explained('filter', `node does not match ${filters}`))).toEqual([
    ['PUT', 'films/_settings', { 'index.routing.allocation.require.rack': null }],
    ['PUT', 'films/_settings', { 'index.routing.allocation.require.zone': null }],
  ]);
});

test('a lost primary: nothing is accepted to be lost unless somebody says so', () => {
  const lost: Explanation = {
    ...explained('', '', true),
    can_allocate: 'no_valid_shard_copy',
    node_allocation_decisions: [],
  };
  const command = { index: 'films', shard: 0, node: '<node>', accept_data_loss: false };
  expect(requests(lost)).toEqual([['POST', '_cluster/reroute', { commands: [{ allocate_empty_primary: command }] }]]);
});
