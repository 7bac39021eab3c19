/** Snapshots are begun, their shards reported, and what was being done in a repository ends. */
import { QuarryError } from '../../../base/errors.js';
import type { JsonObject } from '../../../base/json-value.js';
import { withEntries } from '../../../base/shared-map.js';
import { effectiveClusterSettings } from '../../settings/effective-cluster-settings.js';
import { resolveIndices } from '../../names/index-expression.js';
import type { IndicesOptions } from '../../names/indices-options.js';
import { ClusterSettingDefinitions } from '../../settings/cluster-settings.js';
import { valueOf } from '../../settings/registry.js';
import { primaryOf } from '../../copies/shard-copies.js';
import { isOver, operationsOf } from '../../snapshots/queue.js';
import { mounts } from '../../snapshots/mounts.js';
import { restoring } from '../../snapshots/restores.js';
import { checkSnapshotName } from '../../snapshots/snapshot-name.js';
import type {
  CreateOperation,
  OperationOutcome,
  ShardSnapshot,
  SnapshotIndex,
  SnapshotOperation,
} from '../../snapshots/types.js';
import type { ClusterState, IndexMetadata } from '../../state.js';
import { nextState, type Change, type ChangeEnvironment } from '../change.js';
import { findRepository, withContentUuid } from './repositories.js';

/** Which root the sender had read: what it says of the repository is of that one. */
export interface RootSeen {
  readonly repository: string;
  readonly generation: number;
}

export interface BeginSnapshotInput {
  readonly root: RootSeen;
  readonly name: string;
  readonly expressions: readonly string[];
  readonly options: IndicesOptions;
  /** What the repository calls indices of these names. */
  readonly indexIds: Readonly<Record<string, string>>;
  readonly featureStates: readonly string[];
  readonly includeGlobalState: boolean;
  readonly partial: boolean;
  readonly metadata?: JsonObject;
}

export interface BegunSnapshot {
  readonly uuid: string;
  readonly name: string;
}

/** Throws `snapshot_exception` where a primary is nowhere and the snapshot must not be partial. */
export function beginSnapshot(
  state: ClusterState,
  input: BeginSnapshotInput,
  environment: ChangeEnvironment,
): Change<BegunSnapshot> {
  const { root, name, expressions, options, partial, metadata } = input;
  checkRoot(state, root);
  checkSnapshotName(root.repository, name);
  checkNameIsFree(state, root.repository, name);
  checkRoom(state, `${root.repository}:${name}`);
  const indices = resolveIndices(state, expressions, options, environment.nowMs);
  const ids = knownIds(state, input);
  const snapshotIndices = indices.map((index): SnapshotIndex => ({
    index: { name: index.name, uuid: index.uuid },
    id: ids.get(index.name) ?? environment.newUuid(),
    shards: shardsOf(state, index),
  }));
  if (!partial) checkPrimaries(`${root.repository}:${name}`, snapshotIndices);
  const operation: CreateOperation = {
    kind: 'create',
    uuid: environment.newUuid(),
    order: nextOrder(state),
    repository: root.repository,
    startedAtMs: environment.nowMs,
    name,
    indices: snapshotIndices,
    dataStreams: wholeStreams(state, indices),
    featureStates: input.featureStates,
    includeGlobalState: input.includeGlobalState,
    partial,
    ...(metadata === undefined ? {} : { metadata }),
  };
  return { state: withOperation(state, operation, environment), result: { uuid: operation.uuid, name } };
}

export interface BeginCloneInput {
  readonly root: RootSeen;
  readonly name: string;
  readonly source: { readonly name: string; readonly uuid: string };
  readonly indices: readonly string[];
}

export function beginClone(
  state: ClusterState,
  { root, name, source, indices }: BeginCloneInput,
  environment: ChangeEnvironment,
): Change<BegunSnapshot> {
  checkRoot(state, root);
  checkSnapshotName(root.repository, name);
  checkNameIsFree(state, root.repository, name);
  checkRoom(state, `${root.repository}:${name}`);
  const uuid = environment.newUuid();
  const base = { uuid, order: nextOrder(state), repository: root.repository, startedAtMs: environment.nowMs };
  const operation: SnapshotOperation = { ...base, kind: 'clone', name, source, indices };
  return { state: withOperation(state, operation, environment), result: { uuid, name } };
}

export interface BeginDeletionInput {
  readonly root: RootSeen;
  /** Of the root, and those that are being made, which are stopped. */
  readonly snapshots: readonly { readonly name: string; readonly uuid: string }[];
  /** Look everywhere for what no snapshot needs. */
  readonly sweepsAll: boolean;
}

/** The answer names the operation to wait for. */
export function beginDeletion(
  state: ClusterState,
  { root, snapshots, sweepsAll }: BeginDeletionInput,
  environment: ChangeEnvironment,
): Change<{ readonly uuid: string }> {
  checkRoot(state, root);
  checkRoom(state, root.repository);
  checkNotRestored(state, root.repository, snapshots);
  checkNotMounted(state, root.repository, snapshots);
  const uuids = new Set(snapshots.map(({ uuid }) => uuid));
  const base = { order: nextOrder(state), repository: root.repository, startedAtMs: environment.nowMs };
  const stopped = operationsOf(state, root.repository).flatMap((other) =>
    other.kind === 'create' && uuids.has(other.uuid) ? [{ ...other, aborted: true }] : [],
  );
  // What they have copied so far is in no snapshot.
  const sweep = sweepsAll ? 'all' : stopped.flatMap((other) => other.indices.map(({ id }) => id));
  const operation: SnapshotOperation = {
    ...base,
    uuid: environment.newUuid(),
    kind: 'delete',
    snapshots,
    sweep,
    ...(stopped.length === 0 ? {} : { stopped: stopped.map(({ uuid }) => uuid) }),
  };
  const put = [...stopped, operation].map((each) => [each.uuid, each] as const);
  const snapshotOperations = withEntries(state.snapshotOperations, put);
  return { state: nextState(state, { snapshotOperations }, environment), result: { uuid: operation.uuid } };
}

export interface ReportShardsInput {
  /** Of the snapshot. */
  readonly uuid: string;
  readonly shards: readonly { readonly index: string; readonly shard: number; readonly outcome: ShardSnapshot }[];
}

/** What is known already of a shard stays: a report may come twice. */
export function reportShards(
  state: ClusterState,
  { uuid, shards }: ReportShardsInput,
  environment: ChangeEnvironment,
): Change<null> {
  const operation = state.snapshotOperations.get(uuid);
  if (operation?.kind !== 'create') return { state, result: null };
  const outcomes = new Map(shards.map(({ index, shard, outcome }) => [`${index}/${shard}`, outcome]));
  const indices = operation.indices.map((each) => ({
    ...each,
    shards: each.shards.map((shard, number) =>
      shard.state === 'pending' ? (outcomes.get(`${each.index.name}/${number}`) ?? shard) : shard,
    ),
  }));
  const snapshotOperations = withEntries(state.snapshotOperations, [[uuid, { ...operation, indices }]]);
  return { state: nextState(state, { snapshotOperations }, environment), result: null };
}

export interface SettleOperationInput {
  readonly uuid: string;
  readonly repositoryUuid: string;
  /** Of the root that it wrote; undefined where it wrote none. */
  readonly generation?: number;
  /** Of the repository itself, by that root. */
  readonly contentUuid?: string;
  readonly outcome: OperationOutcome;
}

/** Nothing is left to be done, and whoever waits may know what came of it. */
export function settleOperation(
  state: ClusterState,
  { uuid, repositoryUuid, generation, contentUuid, outcome }: SettleOperationInput,
  environment: ChangeEnvironment,
): Change<null> {
  const operation = state.snapshotOperations.get(uuid);
  if (operation === undefined || operation.outcome !== undefined) return { state, result: null };
  const snapshotOperations = withEntries(state.snapshotOperations, [[uuid, { ...operation, outcome }]]);
  const record = state.repositories.get(operation.repository);
  const isSame = generation !== undefined && record?.uuid === repositoryUuid;
  const repositories = isSame
    ? withEntries(state.repositories, [[record.name, withContentUuid({ ...record, generation }, contentUuid)]])
    : state.repositories;
  return { state: nextState(state, { snapshotOperations, repositories }, environment), result: null };
}

export interface ConfirmOperationInput {
  readonly uuid: string;
}

/**
 * Whether the operation is still to be done. It is counted, so that the group agrees on it: a master that was replaced, and does not
 * know, gets no answer.
 */
export function confirmOperation(
  state: ClusterState,
  { uuid }: ConfirmOperationInput,
  environment: ChangeEnvironment,
): Change<{ readonly isWanted: boolean }> {
  const operation = state.snapshotOperations.get(uuid);
  const isAborted = operation?.kind === 'create' && operation.aborted === true;
  if (operation === undefined || operation.outcome !== undefined || isAborted) {
    return { state, result: { isWanted: false } };
  }
  const confirmed = { ...operation, confirmations: (operation.confirmations ?? 0) + 1 };
  const snapshotOperations = withEntries(state.snapshotOperations, [[uuid, confirmed]]);
  return { state: nextState(state, { snapshotOperations }, environment), result: { isWanted: true } };
}

export interface EndOperationInput {
  readonly uuid: string;
}

export function endOperation(
  state: ClusterState,
  { uuid }: EndOperationInput,
  environment: ChangeEnvironment,
): Change<null> {
  if (!state.snapshotOperations.has(uuid)) return { state, result: null };
  const snapshotOperations = withEntries(state.snapshotOperations, [], [uuid]);
  return { state: nextState(state, { snapshotOperations }, environment), result: null };
}

/** Throws `concurrent_modification_exception` for a root that is not the newest: to be read anew. */
function checkRoot(state: ClusterState, { repository, generation }: RootSeen): void {
  const record = findRepository(state, repository);
  if (record.generation === generation) return;
  throw new QuarryError(
    'concurrent_modification_exception',
    `root [${generation}] of repository [${repository}] is not the newest`,
  );
}

/** Whoever read the root looked there. */
function checkNameIsFree(state: ClusterState, repository: string, name: string): void {
  const isTaken = operationsOf(state, repository).some((other) => other.kind !== 'delete' && other.name === name);
  if (!isTaken) return;
  const reason = `[${repository}:${name}] Invalid snapshot name [${name}], snapshot with the same name is already in-progress`;
  throw new QuarryError('invalid_snapshot_name_exception', reason);
}

function checkRoom(state: ClusterState, what: string): void {
  const max = valueOf(ClusterSettingDefinitions.snapshotMaxConcurrent, effectiveClusterSettings(state)) ?? 1;
  const running = [...state.snapshotOperations.values()].filter((operation) => !isOver(operation)).length;
  if (running < max) return;
  throw new QuarryError(
    'concurrent_snapshot_execution_exception',
    `[${what}] Cannot start another operation, already running [${running}] operations and the current limit for ` +
      `concurrent snapshot operations is set to [${max}]`,
  );
}

function checkNotRestored(
  state: ClusterState,
  repository: string,
  snapshots: readonly { readonly name: string; readonly uuid: string }[],
): void {
  const restored = madeOf(restoring(state), snapshots);
  if (restored?.restoredFrom === undefined) return;
  throw new QuarryError(
    'concurrent_snapshot_execution_exception',
    `[${repository}:${restored.restoredFrom.snapshot}] cannot delete snapshot during a restore in progress`,
  );
}

/** Their data would be lost with the last node that has a copy of it. */
function checkNotMounted(
  state: ClusterState,
  repository: string,
  snapshots: readonly { readonly name: string; readonly uuid: string }[],
): void {
  const mount = madeOf(mounts(state), snapshots);
  if (mount?.restoredFrom === undefined) return;
  throw new QuarryError(
    'snapshot_in_use_deletion_exception',
    `[${repository}:${mount.restoredFrom.snapshot}] is used by the searchable snapshot index [${mount.name}/${mount.uuid}]: ` +
      'delete the index first; no snapshots were deleted',
  );
}

/**
 * The first index that came out of one of the snapshots, whatever its repository is called: several may be registered over one place, and
 * all of them have the snapshot under one uuid.
 */
function madeOf(
  indices: readonly IndexMetadata[],
  snapshots: readonly { readonly uuid: string }[],
): IndexMetadata | undefined {
  const uuids = new Set(snapshots.map(({ uuid }) => uuid));
  return indices.find(({ restoredFrom }) => uuids.has(restoredFrom?.snapshotUuid ?? ''));
}

/** What the repository calls indices, and what it will by snapshots that are being made. */
function knownIds(state: ClusterState, { root, indexIds }: BeginSnapshotInput): ReadonlyMap<string, string> {
  const ids = new Map(Object.entries(indexIds));
  for (const operation of operationsOf(state, root.repository)) {
    if (operation.kind !== 'create') continue;
    for (const { index, id } of operation.indices) if (!ids.has(index.name)) ids.set(index.name, id);
  }
  return ids;
}

function shardsOf(state: ClusterState, index: IndexMetadata): readonly ShardSnapshot[] {
  const table = state.routing.get(index.name)?.shards ?? [];
  return Array.from({ length: index.numberOfShards }, (_, shard): ShardSnapshot => {
    const primary = primaryOf(table[shard] ?? []);
    return primary === undefined || primary.state === 'UNASSIGNED'
      ? { state: 'missing', reason: 'primary shard is not allocated' }
      : { state: 'pending' };
  });
}

function checkPrimaries(what: string, indices: readonly SnapshotIndex[]): void {
  const without = indices.filter(({ shards }) => shards.some(({ state }) => state === 'missing'));
  if (without.length === 0) return;
  const names = without.map(({ index }) => index.name).join(', ');
  throw new QuarryError('snapshot_exception', `[${what}] Indices don't have primary shards [${names}]`);
}

/** Data streams of which every index is in the snapshot. */
function wholeStreams(state: ClusterState, indices: readonly IndexMetadata[]): readonly string[] {
  const names = new Set(indices.map(({ name }) => name));
  return [...state.dataStreams.values()]
    .filter((stream) => stream.indices.every(({ name }) => names.has(name)))
    .map(({ name }) => name)
    .sort();
}

function nextOrder({ snapshotOperations }: ClusterState): number {
  return Math.max(0, ...[...snapshotOperations.values()].map(({ order }) => order)) + 1;
}

function withOperation(
  state: ClusterState,
  operation: SnapshotOperation,
  environment: ChangeEnvironment,
): ClusterState {
  const snapshotOperations = withEntries(state.snapshotOperations, [[operation.uuid, operation]]);
  return nextState(state, { snapshotOperations }, environment);
}
