import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../../src/base/json-value.js';
import { closeIndices } from '../../../src/cluster/changes/indices/open-close-indices.js';
import { rerouteCluster, type RerouteResult } from '../../../src/cluster/changes/copies/reroute-cluster.js';
import { updateDiskBlocks } from '../../../src/cluster/changes/update-disk-blocks.js';
import { NO_CLUSTER_INFO } from '../../../src/cluster/disks/cluster-info.js';
import { parseRerouteCommands } from '../../../src/cluster/allocation/reroute-command.js';
import { indexOf } from '../support.js';
import { TestCluster } from '../allocation/cluster.js';

function run(cluster: TestCluster, command: JsonObject, options = {}): RerouteResult {
  return cluster.run(rerouteCluster, { commands: parseRerouteCommands([command]), ...options });
}

/** `x` with its primary on a and, where asked, its replica on b. */
function started(nodes: string, settings: JsonObject = {}): TestCluster {
  const cluster = new TestCluster(nodes);
  cluster.create('x', settings);
  cluster.settle();
  return cluster;
}

const on = (node: string, more: JsonObject = {}): JsonObject => ({ index: 'x', shard: 0, node, ...more });

describe('reroute commands', () => {
  it.each<[JsonObject, string]>([
    [{ move: { index: 'x', shard: 0, from_node: 'c', to_node: 'b' } }, 'failed to find it on node {c}'],
    [{ move: { index: 'x', shard: 0, from_node: 'a', to_node: 'b' } }, 'since its not allowed, reason: [YES('],
    [
      { move: { index: 'x', shard: 0, from_node: 'nobody', to_node: 'b' } },
      'failed to resolve [nobody], no matching nodes',
    ],
    [{ cancel: on('a') }, "[cancel_allocation] can't cancel 0 on node {a}"],
    [{ cancel: on('c') }, 'failed to find it on node {c}'],
    [
      { allocate_replica: on('c') },
      'all copies of [x][0] are already assigned. Use the move allocation command instead',
    ],
    [{ allocate_stale_primary: on('c') }, 'primary [x][0] is already assigned'],
    [{ allocate_replica: { index: 'y', shard: 0, node: 'c' } }, 'no such index [y]'],
    [{ allocate_replica: { index: 'x', shard: 7, node: 'c' } }, 'no such shard'],
    [{ teleport: on('c') }, 'unknown allocation command [teleport]'],
    [{ cancel: on('c', { now: true }) }, '[cancel] command does not support field [now]'],
    [{ cancel: { index: 'x', node: 'a' } }, '[cancel] command missing the shard parameter'],
  ])('refuses %j', (command, message) => {
    const cluster = started('abc');
    const before = cluster.state;
    expect(() => run(cluster, command)).toThrow(message);
    expect(cluster.state).toBe(before);
  });

  it('explains instead of refusing, and changes nothing in a dry run', () => {
    const cluster = started('abc');
    const before = cluster.state;
    const { explanations } = run(cluster, { cancel: on('a') }, { explain: true });
    expect(explanations).toMatchObject([
      {
        command: 'cancel',
        parameters: { index: 'x', shard: 0, node: 'a', allow_primary: false },
        decisions: [{ decider: 'cancel_allocation_command', verdict: 'NO' }],
      },
    ]);
    const move = { move: { index: 'x', shard: 0, from_node: 'a', to_node: 'c' } };
    const dry = run(cluster, move, { dryRun: true, explain: true });
    expect(dry.state?.routing.get('x')?.shards[0]?.map(({ state }) => state)).toEqual([
      'RELOCATING',
      'STARTED',
      'INITIALIZING',
    ]);
    expect(dry.explanations[0]?.decisions.every(({ verdict }) => verdict === 'YES')).toBe(true);
    expect(cluster.state).toBe(before);
  });

  it('cancels a recovery, and a primary only when that is allowed', () => {
    const cluster = started('ab');
    run(cluster, { cancel: on('a', { allow_primary: true }) });
    expect(cluster.places('x')).toBe('b:P:STARTED a:R:INITIALIZING');
    expect(cluster.copies('x')[1]?.unassigned?.reason).toBe('REROUTE_CANCELLED');
  });

  it('allocates a replica although allocation is switched off', () => {
    const cluster = new TestCluster('a');
    cluster.create('x');
    cluster.settle();
    cluster.settings({ 'cluster.routing.allocation.enable': 'none' });
    cluster.join('b');
    expect(cluster.places('x')).toBe('a:P:STARTED -:R:UNASSIGNED');
    run(cluster, { allocate_replica: on('b') });
    expect(cluster.places('x')).toBe('a:P:STARTED b:R:INITIALIZING');
  });

  it('makes a stale copy primary only for somebody who accepts the loss, and until it has started no other will do', () => {
    const cluster = started('ab', { number_of_replicas: 0 });
    const [lost] = cluster.copies('x');
    const other = lost?.nodeId === 'a' ? 'b' : 'a';
    cluster.leave(lost?.nodeId ?? '');
    expect(() => run(cluster, { allocate_stale_primary: on(other) })).toThrow(
      'allocating a stale primary for [x][0] can result in data loss. Please confirm by setting the accept_data_loss ' +
        'parameter to true',
    );
    run(cluster, { allocate_stale_primary: on(other, { accept_data_loss: 'true' }) });
    expect([cluster.places('x'), cluster.inSync('x')]).toEqual([`${other}:P:INITIALIZING`, ['_forced_allocation_']]);
    cluster.settle();
    expect(cluster.inSync('x')).toEqual([cluster.copies('x')[0]?.allocationId]);
    // What the lost node still has is good for nothing but a replica.
    cluster.join(lost?.nodeId ?? '');
    expect(cluster.places('x')).toBe(`${other}:P:STARTED`);
    expect(cluster.inSync('x')).not.toContain(lost?.allocationId);
  });

  it('makes an empty primary, which is made anew', () => {
    const cluster = started('ab', { number_of_replicas: 0 });
    const [lost] = cluster.copies('x');
    const other = lost?.nodeId === 'a' ? 'b' : 'a';
    cluster.leave(lost?.nodeId ?? '');
    run(cluster, { allocate_empty_primary: on(other, { accept_data_loss: true }) });
    expect([cluster.places('x'), cluster.inSync('x')]).toEqual([`${other}:P:INITIALIZING`, []]);
    expect(cluster.copies('x')[0]?.unassigned).toMatchObject({
      reason: 'FORCED_EMPTY_PRIMARY',
      details: `force empty allocation from previous reason node_left [${lost?.nodeId}]: disconnected to [${other}]`,
    });
  });

  it('tries again what failed too often when it is asked to', () => {
    const cluster = started('a', { number_of_replicas: 0, 'allocation.max_retries': 1 });
    const [copy] = cluster.copies('x');
    if (copy === undefined) throw new Error('no copy');
    cluster.fail('x', copy);
    const [second] = cluster.copies('x');
    if (second?.state === 'INITIALIZING') cluster.fail('x', second);
    expect(cluster.places('x')).toBe('-:P:UNASSIGNED');
    cluster.run(rerouteCluster, {});
    expect(cluster.places('x')).toBe('-:P:UNASSIGNED');
    cluster.run(rerouteCluster, { retryFailed: true });
    expect(cluster.places('x')).toBe('a:P:INITIALIZING');
  });

  it('leaves closed indices where they are', () => {
    const cluster = started('ab');
    cluster.run(closeIndices, { indices: [indexOf(cluster.state, 'x')] });
    expect(() => run(cluster, { cancel: on('b') })).toThrow('the shards of the closed index [x] keep their places');
  });
});

describe('full disks', () => {
  const fill = (cluster: TestCluster, free: number): void => {
    const disk = { path: '/', totalBytes: 100, freeBytes: free };
    cluster.info = { ...NO_CLUSTER_INFO, disks: new Map([['a', disk]]) };
    cluster.run(updateDiskBlocks, { reroutes: true });
  };
  const block = (cluster: TestCluster): unknown =>
    indexOf(cluster.state, 'x').settings.get('index.blocks.read_only_allow_delete');

  it('stop writes above the flood stage, until they are below the high watermark', () => {
    const cluster = started('a');
    fill(cluster, 6);
    expect(block(cluster)).toBeUndefined();
    fill(cluster, 4);
    expect(block(cluster)).toBe('true');
    fill(cluster, 9);
    expect(block(cluster)).toBe('true');
    fill(cluster, 11);
    expect(block(cluster)).toBeUndefined();
    const before = cluster.state;
    fill(cluster, 12);
    expect(cluster.state).toBe(before);
  });
});
