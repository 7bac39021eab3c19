import { describe, expect, it } from 'vitest';
import { must } from '../../../src/base/assert.js';
import { closeIndices } from '../../../src/cluster/changes/indices/open-close-indices.js';
import { deleteIndices } from '../../../src/cluster/changes/indices/delete-indices.js';
import {
  deleteRepositories,
  noteGeneration,
  putRepository,
} from '../../../src/cluster/changes/snapshots/repositories.js';
import {
  beginDeletion,
  beginSnapshot,
  confirmOperation,
  endOperation,
  reportShards,
  settleOperation,
} from '../../../src/cluster/changes/snapshots/snapshot-operations.js';
import { restoreSnapshot } from '../../../src/cluster/changes/snapshots/restore-snapshot.js';
import { AllocationRound } from '../../../src/cluster/allocation/allocation-round.js';
import { snapshotInProgress } from '../../../src/cluster/deciders/snapshots.js';
import { IndicesDefaults } from '../../../src/cluster/names/indices-options.js';
import { dueOperations, mayFinish, operationsOf, shardPredecessor } from '../../../src/cluster/snapshots/queue.js';
import type { CreateOperation, SnapshotOperation } from '../../../src/cluster/snapshots/types.js';
import { TestCluster } from '../allocation/cluster.js';
import { indexOf } from '../support.js';

const REPOSITORY = 'backups';

/** Indices `x` and `y` of one shard each, and a repository without a snapshot. */
function cluster(): TestCluster {
  const made = new TestCluster('ab');
  made.create('x');
  made.create('y');
  made.settle();
  const record = made.run(putRepository, { name: REPOSITORY, type: 'fs', settings: new Map() });
  made.run(noteGeneration, { name: REPOSITORY, repositoryUuid: record.uuid, generation: -1 });
  return made;
}

function begin(on: TestCluster, name: string, indices: readonly string[], partial = false): CreateOperation {
  const { uuid } = on.run(beginSnapshot, {
    root: { repository: REPOSITORY, generation: on.state.repositories.get(REPOSITORY)?.generation ?? -1 },
    name,
    expressions: indices,
    options: IndicesDefaults.expandOpenAndClosed,
    indexIds: {},
    featureStates: [],
    includeGlobalState: false,
    partial,
  });
  return current(on, uuid);
}

function current(on: TestCluster, uuid: string): CreateOperation {
  const operation = on.state.snapshotOperations.get(uuid);
  if (operation?.kind !== 'create') throw new Error('it is gone');
  return operation;
}

function remove(on: TestCluster, ...snapshots: readonly CreateOperation[]): string {
  const named = snapshots.map(({ name, uuid }) => ({ name, uuid }));
  const generation = on.state.repositories.get(REPOSITORY)?.generation ?? -1;
  return on.run(beginDeletion, { root: { repository: REPOSITORY, generation }, snapshots: named, sweepsAll: false })
    .uuid;
}

function report(on: TestCluster, { uuid }: CreateOperation, index: string, generation: string): void {
  on.run(reportShards, { uuid, shards: [{ index, shard: 0, outcome: { state: 'success', generation } }] });
}

function settle(on: TestCluster, { uuid }: Pick<SnapshotOperation, 'uuid'>, generation: number): void {
  const { uuid: repositoryUuid } = must(on.state.repositories.get(REPOSITORY), 'the repository');
  on.run(settleOperation, { uuid, repositoryUuid, generation, outcome: {} });
}

const due = (on: TestCluster): readonly string[] => dueOperations(on.state).map(({ uuid }) => uuid);

describe('the order within a repository', () => {
  it('lets snapshots run side by side, and a shard build on what the one before made of it', () => {
    const on = cluster();
    const first = begin(on, 'first', ['x']);
    const second = begin(on, 'second', ['x', 'y']);
    expect(due(on)).toEqual([first.uuid, second.uuid]);
    const id = must(first.indices[0], 'x').id;
    expect(second.indices.map(({ id: known }) => known)).toContain(id);
    const earlier = (): readonly SnapshotOperation[] =>
      operationsOf(on.state, REPOSITORY).filter(({ order }) => order < second.order);
    expect(shardPredecessor(earlier(), id, 0)).toBe('wait');
    const other = must(
      second.indices.find(({ index }) => index.name === 'y'),
      'y',
    ).id;
    expect(shardPredecessor(earlier(), other, 0)).toEqual({ generation: undefined });
    report(on, first, 'x', 'g1');
    expect(shardPredecessor(earlier(), id, 0)).toEqual({ generation: 'g1' });
    expect(mayFinish(on.state, second)).toBe(false);
    settle(on, first, 0);
    expect(mayFinish(on.state, second)).toBe(true);
    expect(on.state.repositories.get(REPOSITORY)?.generation).toBe(0);
  });

  it('keeps deletions alone', () => {
    const on = cluster();
    const first = begin(on, 'first', ['x']);
    const deletion = remove(on);
    const second = begin(on, 'second', ['y']);
    expect(due(on)).toEqual([first.uuid]);
    settle(on, first, 0);
    expect(due(on)).toEqual([first.uuid, deletion]);
    on.run(endOperation, { uuid: first.uuid });
    settle(on, { uuid: deletion }, 1);
    on.run(endOperation, { uuid: deletion });
    expect(due(on)).toEqual([second.uuid]);
  });

  it('stops a snapshot that is deleted, and has what it copied looked for', () => {
    const on = cluster();
    const first = begin(on, 'first', ['x']);
    const deletion = remove(on, first);
    expect(current(on, first.uuid).aborted).toBe(true);
    expect(on.state.snapshotOperations.get(deletion)).toMatchObject({
      sweep: first.indices.map(({ id }) => id),
      stopped: [first.uuid],
    });
  });
});

describe('what is refused', () => {
  it('a root that is not the newest, to be read anew', () => {
    const on = cluster();
    on.run(noteGeneration, {
      name: REPOSITORY,
      repositoryUuid: on.state.repositories.get(REPOSITORY)?.uuid ?? '',
      generation: 4,
    });
    expect(() =>
      on.run(beginDeletion, { root: { repository: REPOSITORY, generation: 3 }, snapshots: [], sweepsAll: true }),
    ).toThrow(/is not the newest/);
  });

  it('one more than snapshot.max_concurrent_operations, and not what is over', () => {
    const on = cluster();
    on.settings({ 'snapshot.max_concurrent_operations': 1 });
    const first = begin(on, 'first', ['x']);
    expect(() => begin(on, 'second', ['y'])).toThrow(
      /current limit for concurrent snapshot operations is set to \[1\]/,
    );
    settle(on, first, 0);
    expect(begin(on, 'second', ['y']).name).toBe('second');
  });

  it('to delete or close an index of a whole snapshot, and to forget the repository', () => {
    const on = cluster();
    const first = begin(on, 'first', ['x']);
    const { name, uuid } = indexOf(on.state, 'x');
    expect(() => on.run(deleteIndices, { indices: [{ name, uuid }] })).toThrow(/being snapshotted/);
    expect(() => on.run(closeIndices, { indices: [{ name, uuid }] })).toThrow(/being snapshotted/);
    expect(() => on.run(deleteRepositories, { names: [REPOSITORY] })).toThrow(/snapshot is in progress/);
    settle(on, first, 0);
    on.run(deleteIndices, { indices: [{ name, uuid }] });
    on.run(deleteRepositories, { names: [REPOSITORY] });
    expect(on.state.repositories.size).toBe(0);
  });

  it('a name that is being used', () => {
    const on = cluster();
    begin(on, 'first', ['x']);
    expect(() => begin(on, 'first', ['y'])).toThrow(/already in-progress/);
  });
});

describe('allocation', () => {
  const decide = (on: TestCluster, index: string): string | undefined => {
    const round = new AllocationRound(on.state, on.environment);
    const copy = must(on.copies(index)[0], 'a primary');
    return snapshotInProgress.canRebalance?.(round.question(indexOf(on.state, index), copy)).verdict;
  };

  it('leaves a primary that is copied where it is', () => {
    const on = cluster();
    const first = begin(on, 'first', ['x']);
    expect(decide(on, 'x')).toBe('THROTTLE');
    expect(decide(on, 'y')).toBe('YES');
    report(on, first, 'x', 'g1');
    expect(decide(on, 'x')).toBe('YES');
  });
});

it('a report that comes twice changes nothing', () => {
  const on = cluster();
  const first = begin(on, 'first', ['x']);
  report(on, first, 'x', 'g1');
  report(on, first, 'x', 'g2');
  expect(current(on, first.uuid).indices[0]?.shards[0]?.generation).toBe('g1');
});

describe('whoever carries something out', () => {
  it('is told by a change of the state whether it is still to be done', () => {
    const on = cluster();
    const { uuid } = begin(on, 'one', ['x']);
    const { version } = on.state;
    expect(on.run(confirmOperation, { uuid })).toEqual({ isWanted: true });
    expect(on.state.version).toBe(version + 1);
    const deletion = remove(on, current(on, uuid));
    // It was stopped.
    expect(on.run(confirmOperation, { uuid })).toEqual({ isWanted: false });
    expect(on.run(confirmOperation, { uuid: deletion })).toEqual({ isWanted: true });
    on.run(endOperation, { uuid });
    expect(on.run(confirmOperation, { uuid })).toEqual({ isWanted: false });
  });
});

it('a snapshot is not restored while it is being deleted, nor out of a root that is not the newest', () => {
  const on = cluster();
  const one = begin(on, 'one', ['x']);
  const record = on.run(putRepository, { name: 'alias', type: 'fs', settings: new Map() });
  on.run(noteGeneration, { name: 'alias', repositoryUuid: record.uuid, generation: -1 });
  const restore =
    (generation: number, repository = REPOSITORY) =>
    () =>
      on.run(restoreSnapshot, {
        repository,
        repositoryUuid: 'r',
        snapshot: one.name,
        snapshotUuid: one.uuid,
        generation,
        indices: [],
        dataStreams: [],
        includeAliases: false,
        renamedAliases: {},
        settings: new Map(),
        ignoredSettings: [],
        mount: undefined,
        global: undefined,
        security: undefined,
      });
  expect(restore(-1)).not.toThrow();
  expect(restore(-2)).toThrow('root [-2] of repository [backups] is not the newest');
  remove(on, one);
  expect(restore(-1)).toThrow('[backups:one] cannot restore a snapshot while it is being deleted');
  expect(restore(-1, 'alias')).toThrow('[alias:one] cannot restore a snapshot while it is being deleted');
});
