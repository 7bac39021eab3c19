/** `_restore`: indices come back out of a snapshot, under their names or others; their shards are fetched when they have places. */
import { QuarryError } from '../../../base/errors.js';
import { withEntries } from '../../../base/shared-map.js';
import { aliasTable, checkAliases } from '../../aliases/aliases.js';
import { reroute } from '../../allocation/reroute.js';
import { checkAliasName, checkIndexName, invalidIndexName } from '../../names/index-name.js';
import { checkDataStreamName } from '../../data-streams/data-streams.js';
import { checkIndexSettingsTogether } from '../../settings/index-settings.js';
import type { FlatSettings, SettingValue } from '../../settings/flat-settings.js';
import { numberSetting } from '../../settings/index-values.js';
import { unassignedRouting } from '../../copies/shard-copies.js';
import { checkShardLimit } from '../../shard-limit.js';
import { mountedSettings, withoutMount, type MountStorage } from '../../snapshots/mounts.js';
import type { SecurityState } from '../../security/security-state.js';
import type { RestoreSource } from '../../snapshots/types.js';
import type { AliasMetadata, ClusterState, DataStream, IndexMetadata, IndexRouting } from '../../state.js';
import { nextState, withIndices, withRouting, type Change, type ChangeEnvironment } from '../change.js';
import { withTombstones } from '../indices/delete-indices.js';
import { checkRequested, INDEX_FORMAT_VERSION } from '../indices/new-index.js';
import type { GlobalMetadata } from '../../snapshots/global-metadata.js';
import { FIXED_SETTINGS } from '../../snapshots/fixed-settings.js';
import { isOver } from '../../snapshots/queue.js';
import { restoredGlobal } from '../../snapshots/restored-global.js';
import { findRepository } from './repositories.js';

export interface RestoredIndex {
  /** As it was when the snapshot was made. */
  readonly metadata: IndexMetadata;
  /** What it shall be called. */
  readonly name: string;
  readonly indexId: string;
  readonly missingShards: readonly number[];
}

export interface RestoreSnapshotInput {
  readonly repository: string;
  readonly repositoryUuid: string;
  readonly snapshot: string;
  readonly snapshotUuid: string;
  /** Of the root in which the sender found the snapshot. */
  readonly generation: number;
  readonly indices: readonly RestoredIndex[];
  /** Renamed already. */
  readonly dataStreams: readonly DataStream[];
  readonly includeAliases: boolean;
  /** By the name in the snapshot. */
  readonly renamedAliases: Readonly<Record<string, string>>;
  readonly settings: FlatSettings;
  readonly ignoredSettings: readonly string[];
  /** The indices stay what the snapshot has: see `snapshots/mounts.ts`. Undefined: they do not. */
  readonly mount: MountStorage | undefined;
  /** What is put in the place of what the cluster has; undefined: nothing. */
  readonly global: GlobalMetadata | undefined;
  /** Likewise; undefined: users, roles and the like stay. */
  readonly security: SecurityState | undefined;
}

export interface BegunRestore {
  readonly restoreUuid: string;
  readonly indices: readonly { readonly name: string; readonly uuid: string }[];
}

export function restoreSnapshot(
  state: ClusterState,
  input: RestoreSnapshotInput,
  environment: ChangeEnvironment,
): Change<BegunRestore> {
  const what = `${input.repository}:${input.snapshot}`;
  checkStays(state, input, what);
  checkRequested(input.settings);
  const restoreUuid = environment.newUuid();
  const replaced: IndexMetadata[] = [];
  const restored: IndexMetadata[] = [];
  const tables: IndexRouting[] = [];
  for (const each of input.indices) {
    const former = checkTarget(state, each, what);
    if (former !== undefined) replaced.push(former);
    const index = asRestored(each, input, restoreUuid, former, environment);
    restored.push(index);
    const reason = former === undefined ? 'NEW_INDEX_RESTORED' : 'EXISTING_INDEX_RESTORED';
    tables.push(unassignedRouting(index, reason, environment.nowMs));
  }
  const added = restored.reduce((sum, index) => sum + index.numberOfShards * (1 + index.numberOfReplicas), 0);
  checkShardLimit(state, added);
  const indices = withIndices(state, restored);
  const dataStreams = withStreams(state, input.dataStreams, restored, what);
  checkAliases(state, { ...state, indices, dataStreams });
  checkNamesAreUnique({ indices, dataStreams }, restored, input.dataStreams, what);
  const tombstones = withTombstones(state.tombstones, replaced, environment.nowMs);
  const parts = {
    indices,
    dataStreams,
    tombstones,
    ...(input.global === undefined ? {} : restoredGlobal(state, input.global)),
    ...input.security,
  };
  const routing = reroute({ ...state, ...parts, routing: withRouting(state, tables) }, environment);
  return {
    state: nextState(state, { ...parts, routing }, environment),
    result: { restoreUuid, indices: restored.map(({ name, uuid }) => ({ name, uuid })) },
  };
}

/** The snapshot must still be there, and not be about to go: from now on its deletion is refused. */
function checkStays(
  state: ClusterState,
  { repository, snapshotUuid, generation }: RestoreSnapshotInput,
  what: string,
): void {
  const { generation: newest = generation } = findRepository(state, repository);
  // Also through another repository over the same place.
  const isGoing = [...state.snapshotOperations.values()].some(
    (operation) =>
      operation.kind === 'delete' &&
      !isOver(operation) &&
      operation.snapshots.some(({ uuid }) => uuid === snapshotUuid),
  );
  if (isGoing) {
    const reason = `[${what}] cannot restore a snapshot while it is being deleted`;
    throw new QuarryError('concurrent_snapshot_execution_exception', reason);
  }
  if (newest <= generation) return;
  const reason = `root [${generation}] of repository [${repository}] is not the newest`;
  throw new QuarryError('concurrent_modification_exception', reason);
}

/** The closed index whose place it takes; undefined where the name is free. */
function checkTarget(state: ClusterState, { name, metadata }: RestoredIndex, what: string): IndexMetadata | undefined {
  checkIndexName(name);
  checkFormat(metadata, what);
  if (aliasTable(state).has(name))
    throw refused(
      what,
      `cannot rename index [${metadata.name}] into [${name}] because of conflict with an alias with the same name`,
    );
  if (state.dataStreams.has(name)) throw invalidIndexName(name, 'already exists as data stream');
  const former = state.indices.get(name);
  if (former === undefined) return undefined;
  if (former.state === 'open') {
    throw refused(
      what,
      `cannot restore index [${name}] because an open index with same name already exists in the cluster. Either close or ` +
        'delete the existing index or restore the index under a different name by providing a rename pattern and ' +
        'replacement name',
    );
  }
  if (former.numberOfShards !== metadata.numberOfShards) {
    throw refused(
      what,
      `cannot restore index [${name}] with [${former.numberOfShards}] shards from a snapshot of index ` +
        `[${metadata.name}] with [${metadata.numberOfShards}] shards`,
    );
  }
  return former;
}

function checkFormat({ name, settings }: IndexMetadata, what: string): void {
  const version = Number(settings.get('index.version.created') ?? '0');
  if (version <= Number(INDEX_FORMAT_VERSION)) return;
  throw refused(
    what,
    `the snapshot was created with version [${version}] of indices, which is higher than the version ` +
      `[${INDEX_FORMAT_VERSION}] of this node (index [${name}])`,
  );
}

function asRestored(
  { metadata, name, indexId, missingShards }: RestoredIndex,
  input: RestoreSnapshotInput,
  restoreUuid: string,
  former: IndexMetadata | undefined,
  environment: ChangeEnvironment,
): IndexMetadata {
  const uuid = environment.newUuid();
  const source: RestoreSource = {
    restoreUuid,
    repository: input.repository,
    repositoryUuid: input.repositoryUuid,
    snapshot: input.snapshot,
    snapshotUuid: input.snapshotUuid,
    index: metadata.name,
    indexId,
    missingShards,
  };
  const kept = keptSettings(metadata, input, uuid, environment.nowMs);
  const { mount } = input;
  const settings = mount === undefined ? kept : mountedSettings(kept, input.settings, source, mount);
  checkIndexSettingsTogether(settings);
  const { lifecycle: _phase, ...others } = metadata;
  return {
    ...others,
    name,
    uuid,
    state: 'open',
    settings,
    numberOfReplicas: numberSetting({ settings }, 'numberOfReplicas'),
    version: Math.max(metadata.version, former?.version ?? 0) + 1,
    mappingVersion: Math.max(metadata.mappingVersion, former?.mappingVersion ?? 0) + 1,
    settingsVersion: Math.max(metadata.settingsVersion, former?.settingsVersion ?? 0) + 1,
    aliasesVersion: metadata.aliasesVersion + 1,
    aliases: input.includeAliases ? aliasesOf(metadata, name, input) : new Map(),
    // Operations of the files are of terms up to these.
    primaryTerms: metadata.primaryTerms.map((term) => term + 1),
    inSyncAllocationIds: metadata.primaryTerms.map(() => []),
    restoredFrom: source,
  };
}

function keptSettings(
  metadata: IndexMetadata,
  { settings, ignoredSettings }: RestoreSnapshotInput,
  uuid: string,
  nowMs: number,
): FlatSettings {
  const kept = new Map<string, SettingValue>(
    [...withoutMount(metadata.settings)].filter(([key]) => !ignoredSettings.some((pattern) => isIgnored(pattern, key))),
  );
  for (const [key, value] of settings) kept.set(key, value);
  kept.set('index.uuid', uuid);
  if (!kept.has('index.number_of_replicas')) kept.set('index.number_of_replicas', '1');
  // What it was made of is behind it.
  kept.delete('index.resize.source.name');
  kept.delete('index.resize.source.uuid');
  kept.delete('index.routing.allocation.initial_recovery._id');
  kept.set('index.creation_date', String(metadata.creationDateMs || nowMs));
  return kept;
}

function isIgnored(pattern: string, key: string): boolean {
  if (FIXED_SETTINGS.includes(key)) return false;
  return pattern.endsWith('*') ? key.startsWith(pattern.slice(0, -1)) : key === pattern;
}

function aliasesOf(
  metadata: IndexMetadata,
  name: string,
  { renamedAliases }: RestoreSnapshotInput,
): ReadonlyMap<string, AliasMetadata> {
  return new Map(
    [...metadata.aliases].map(([alias, each]) => {
      const renamed = renamedAliases[alias] ?? alias;
      checkAliasName(renamed, (other) => other === name);
      return [renamed, each] as const;
    }),
  );
}

/** Of what comes back: the state before has no name twice. */
function checkNamesAreUnique(
  after: Pick<ClusterState, 'indices' | 'dataStreams'>,
  indices: readonly IndexMetadata[],
  streams: readonly DataStream[],
  what: string,
): void {
  const aliases = aliasTable(after);
  const duplicates: string[] = [];
  for (const { name } of streams) {
    if (after.indices.has(name)) duplicates.push(`data stream [${name}] conflicts with index`);
    if (aliases.has(name)) duplicates.push(`data stream [${name}] conflicts with alias`);
  }
  const restored = new Set([...indices, ...streams].flatMap((each) => [...(each.aliases?.keys() ?? [])]));
  for (const alias of restored) {
    const of = [...new Set((aliases.get(alias) ?? []).map(({ stream, index }) => (stream ?? index).name))].join(', ');
    if (after.indices.has(alias)) duplicates.push(`${alias} (alias of [${of}]) conflicts with index`);
    if (after.dataStreams.has(alias)) duplicates.push(`${alias} (alias of [${of}]) conflicts with data stream`);
  }
  if (duplicates.length === 0) return;
  const rule = 'index, alias, and data stream names need to be unique, but the following duplicates were found';
  throw refused(what, `${rule} [${duplicates.join(', ')}]`);
}

/** With the streams that are restored; those that are there have in the place of a closed index the one that is restored over it. */
function withStreams(
  state: ClusterState,
  streams: readonly DataStream[],
  restored: readonly IndexMetadata[],
  what: string,
): ClusterState['dataStreams'] {
  const byName = new Map(restored.map(({ name, uuid }) => [name, { name, uuid }] as const));
  const mended = [...state.dataStreams.values()].flatMap((stream) => {
    if (!stream.indices.some(({ name }) => byName.has(name))) return [];
    const indices = stream.indices.map((index) => byName.get(index.name) ?? index);
    return [[stream.name, { ...stream, indices }] as const];
  });
  const made = streams.map((stream) => {
    checkDataStreamName(stream.name);
    if (state.dataStreams.has(stream.name)) {
      throw refused(what, `data stream [${stream.name}] already exists`);
    }
    const indices = stream.indices.flatMap(({ name }) => byName.get(name) ?? []);
    return [stream.name, { ...stream, indices }] as const;
  });
  return withEntries(state.dataStreams, [...mended, ...made]);
}

function refused(what: string, why: string): QuarryError {
  return new QuarryError('snapshot_restore_exception', `[${what}] ${why}`);
}
