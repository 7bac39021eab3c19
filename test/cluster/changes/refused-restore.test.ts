import { describe, expect, it } from 'vitest';
import { must } from '../../../src/base/assert.js';
import type { JsonObject } from '../../../src/base/json-value.js';
import { rerouteCluster } from '../../../src/cluster/changes/copies/reroute-cluster.js';
import { closeIndices, openIndices } from '../../../src/cluster/changes/indices/open-close-indices.js';
import { putRepository } from '../../../src/cluster/changes/snapshots/repositories.js';
import { restoreSnapshot } from '../../../src/cluster/changes/snapshots/restore-snapshot.js';
import { recoverySourceOf } from '../../../src/cluster/copies/shard-copies.js';
import { explainAllocation } from '../../../src/cluster/explain/explain-allocation.js';
import type { FlatSettings } from '../../../src/cluster/settings/flat-settings.js';
import type { MountStorage } from '../../../src/cluster/snapshots/mounts.js';
import { restoredShard, restoresFrom, type RestoredShard } from '../../../src/cluster/snapshots/restores.js';
import { TestCluster } from '../allocation/cluster.js';
import { indexOf } from '../support.js';

const REPOSITORY = 'backups';
const NOBODY = new Map([['index.routing.allocation.require._name', 'nobody']]);

interface Wanted {
  readonly settings?: FlatSettings;
  readonly missingShards?: readonly number[];
  readonly mount?: MountStorage;
}

/** The nodes; an index `x` as the snapshot `s` has it, restored as `y`. */
function restored(names: string, { settings = new Map(), missingShards = [], mount }: Wanted): TestCluster {
  const on = new TestCluster(names);
  on.create('x', { number_of_replicas: 0 });
  on.settle();
  const { uuid: repositoryUuid } = on.run(putRepository, { name: REPOSITORY, type: 'fs', settings: new Map() });
  on.run(restoreSnapshot, {
    repository: REPOSITORY,
    repositoryUuid,
    snapshot: 's',
    snapshotUuid: 'of-s',
    generation: 0,
    indices: [{ metadata: indexOf(on.state, 'x'), name: 'y', indexId: 'id-of-x', missingShards }],
    dataStreams: [],
    includeAliases: false,
    renamedAliases: {},
    settings,
    ignoredSettings: [],
    mount,
    global: undefined,
    security: undefined,
  });
  return on;
}

const outcome = (on: TestCluster): RestoredShard => restoredShard(indexOf(on.state, 'y'), on.copies('y'));
const isWaitedFor = (on: TestCluster): boolean => restoresFrom(on.state, REPOSITORY).length > 0;

function explanations(on: TestCluster): readonly string[] {
  const copy = { index: 'y', shard: 0, primary: true };
  const { node_allocation_decisions: nodes } = on.run(explainAllocation, {
    includeYesDecisions: false,
    includeDiskInfo: false,
    copy,
  }) as JsonObject & { readonly node_allocation_decisions: readonly { readonly deciders: readonly JsonObject[] }[] };
  return nodes.flatMap(({ deciders }) =>
    deciders.map((each) => `${String(each['decider'])}: ${String(each['explanation'])}`),
  );
}

const GIVEN_UP =
  'restore_in_progress: shard has failed to be restored from the snapshot [backups:s/of-s] - manually close or delete the ' +
  'index [y] in order to retry to restore the snapshot again or use the reroute API to force the allocation of an empty ' +
  'primary shard. Details: [shard could not be allocated to any of the nodes]';

describe('a restore that no node may take', () => {
  it.each<[string, Wanted]>([
    ['a restore', { settings: NOBODY }],
    ['a mount', { settings: NOBODY, mount: 'full_copy' }],
    ['a mount for nodes of a tier that is nowhere', { mount: 'shared_cache' }],
  ])('%s ends as failed at once, and the explanation says so', (_, wanted) => {
    const on = restored('ab', wanted);
    expect([outcome(on), isWaitedFor(on)]).toEqual(['failed', false]);
    expect(on.copies('y')[0]?.unassigned).toMatchObject({
      reason: 'NEW_INDEX_RESTORED',
      lastAllocationStatus: 'deciders_no',
    });
    expect(explanations(on).filter((each) => each === GIVEN_UP)).toHaveLength(2);
  });

  it('stays so when a node comes, when its rule is taken away, and when failures are to be forgotten', () => {
    const on = restored('ab', { settings: NOBODY });
    on.join('nobody');
    on.indexSettings('y', { 'routing.allocation.require._name': null });
    on.run(rerouteCluster, { retryFailed: true });
    on.settle();
    expect([on.places('y'), outcome(on)]).toEqual(['-:P:UNASSIGNED', 'failed']);
    expect(explanations(on)).toEqual([GIVEN_UP, GIVEN_UP, GIVEN_UP]);
  });

  it('stays so while all nodes are busy with other primaries', () => {
    const on = restored('a', { settings: NOBODY });
    on.settings({ 'cluster.routing.allocation.node_initial_primaries_recoveries': 1 });
    on.create('z', { number_of_shards: 4, number_of_replicas: 0 });
    expect([outcome(on), isWaitedFor(on)]).toEqual(['failed', false]);
    on.settle();
    expect(outcome(on)).toBe('failed');
  });

  it('lets an empty primary take its place, for somebody who accepts the loss', () => {
    const on = restored('ab', { settings: NOBODY });
    const force = (accepts: boolean) => () =>
      on.run(rerouteCluster, {
        commands: [{ kind: 'allocate_empty_primary', index: 'y', shard: 0, node: 'b', acceptDataLoss: accepts }],
      });
    expect(force(false)).toThrow('allocating an empty primary for [y][0] can result in data loss');
    force(true)();
    const copy = must(on.copies('y')[0], 'the primary');
    expect([on.places('y'), recoverySourceOf(indexOf(on.state, 'y'), copy)]).toEqual([
      'b:P:INITIALIZING',
      'EMPTY_STORE',
    ]);
    on.settle();
    expect(on.places('y')).toBe('b:P:STARTED');
  });

  it('is tried again when its index was closed', () => {
    const on = restored('ab', { settings: NOBODY });
    on.indexSettings('y', { 'routing.allocation.require._name': null });
    on.run(closeIndices, { indices: [indexOf(on.state, 'y')] });
    expect(isWaitedFor(on)).toBe(false);
    on.run(openIndices, { indices: [indexOf(on.state, 'y')] });
    expect([outcome(on), isWaitedFor(on)]).toEqual(['waiting', true]);
    on.settle();
    expect(outcome(on)).toBe('done');
  });
});

describe('a restore under way', () => {
  it('keeps its index from being closed, whatever the node knows that is asked', () => {
    const on = restored('a', {});
    const { name, uuid } = indexOf(on.state, 'y');
    const close = () => on.run(closeIndices, { indices: [indexOf(on.state, 'x'), { name, uuid }] });
    expect(close).toThrow(`Cannot close indices that are being restored: [[y/${uuid}]]`);
    expect(indexOf(on.state, 'x').state).toBe('open');
    on.settle();
    close();
    expect(indexOf(on.state, 'y').state).toBe('close');
  });

  it('waits while its nodes are busy', () => {
    const on = restored('a', {});
    on.settings({ 'cluster.routing.allocation.node_initial_primaries_recoveries': 0 });
    on.fail('y', must(on.copies('y')[0], 'the primary'));
    expect([on.places('y'), outcome(on), isWaitedFor(on)]).toEqual(['-:P:UNASSIGNED', 'waiting', true]);
    on.settings({ 'cluster.routing.allocation.node_initial_primaries_recoveries': null });
    on.settle();
    expect(outcome(on)).toBe('done');
  });

  it('fails when its node leaves and no other may take it', () => {
    const on = restored('ab', { settings: new Map([['index.routing.allocation.require._name', 'b']]) });
    expect(on.places('y')).toBe('b:P:INITIALIZING');
    on.leave('b');
    expect([outcome(on), isWaitedFor(on)]).toEqual(['failed', false]);
    expect(explanations(on).join()).toContain('Details: [node_left [b]: disconnected]');
  });

  it('fails when it was tried as often as may be, and says what happened', () => {
    const on = restored('ab', {});
    for (let tries = 0; tries < 5; tries++) on.fail('y', must(on.copies('y')[0], 'the primary'), 'too slow');
    expect([outcome(on), isWaitedFor(on)]).toEqual(['failed', false]);
    expect(explanations(on).join()).toContain('primary shard. Details: [too slow]');
    on.run(rerouteCluster, { retryFailed: true });
    expect(outcome(on)).toBe('failed');
  });

  it('counts a shard that the snapshot lacks as failed, and makes it empty', () => {
    const on = restored('ab', { missingShards: [0] });
    expect([outcome(on), isWaitedFor(on)]).toEqual(['failed', false]);
    on.settle();
    expect(on.places('y')).toMatch(/P:STARTED/);
  });
});
