/** Restores indices out of a snapshot: reads what it keeps of them, then the master makes them anew. */
import { asQuarryError } from '../../base/error-wire.js';
import { QuarryError } from '../../base/errors.js';
import { LinearRegex } from '../../base/linear-regex.js';
import { replaceMatches } from '../../base/replace-matches.js';
import type { BegunRestore, RestoredIndex } from '../../cluster/changes/snapshots/restore-snapshot.js';
import { findRepository } from '../../cluster/changes/snapshots/repositories.js';
import type { FlatSettings } from '../../cluster/settings/flat-settings.js';
import type { SecurityState } from '../../cluster/security/security-state.js';
import { securityOf } from '../../cluster/snapshots/feature-states.js';
import { featuresToRestore } from '../../cluster/snapshots/features.js';
import { FIXED_SETTINGS } from '../../cluster/snapshots/fixed-settings.js';
import type { SnapshotMetadata } from '../../cluster/snapshots/global-metadata.js';
import type { MountStorage } from '../../cluster/snapshots/mounts.js';
import { restoredShard } from '../../cluster/snapshots/restores.js';
import type { ClusterState, DataStream } from '../../cluster/state.js';
import { corrupt, type RepositoryRoot, type RootIndex, type SnapshotRecord } from '../../repositories/format.js';
import { findSnapshot, type Repository } from '../../repositories/repository.js';
import type { ActionContext } from '../context.js';
import { snapshotMissing } from './create-snapshot.js';
import { knownRoot } from './known-root.js';
import { readIndex, readMetadata, readRecord } from './read-snapshot.js';

/** One expression to rename by, as Java's `replaceAll`. An index that is named alone may just be given a name. */
export interface Renaming {
  readonly pattern: string;
  readonly replacement: string;
}

export interface RestoreRequest {
  readonly repository: string;
  readonly snapshot: string;
  /** Of the indices and data streams of the snapshot those that shall come back. */
  readonly choose: (indices: readonly string[], dataStreams: readonly string[]) => Chosen;
  readonly renameIndices: Renaming | string | undefined;
  readonly renameAliases: Renaming | undefined;
  readonly includeAliases: boolean;
  readonly includeGlobalState: boolean;
  /** As they were asked for: nothing stands for what goes with the global state. */
  readonly featureStates: readonly string[];
  readonly partial: boolean;
  readonly settings: FlatSettings;
  readonly ignoredSettings: readonly string[];
  /** The indices stay what the snapshot has, and are fetched from it again when no node has them. Undefined: they do not. */
  readonly mount: MountStorage | undefined;
}

export interface Chosen {
  readonly indices: readonly string[];
  readonly dataStreams: readonly string[];
}

/** Others may write roots meanwhile. */
const TRIES = 20;
/** Of the names of indices of data streams. */
const BACKING_PREFIX = '.ds-';

/** Resolves when the cluster state has the indices. */
export async function restoreSnapshot(
  context: ActionContext,
  request: RestoreRequest,
  timeoutMs: number,
): Promise<BegunRestore> {
  for (let tries = 1; ; tries++) {
    try {
      return await beginRestore(context, request, timeoutMs);
    } catch (error) {
      if (tries === TRIES || asQuarryError(error).type !== 'concurrent_modification_exception') throw error;
    }
  }
}

async function beginRestore(context: ActionContext, request: RestoreRequest, timeoutMs: number): Promise<BegunRestore> {
  const record = findRepository(context.clusterState(), request.repository);
  const repository = context.repositories.ofRecord(record);
  const root = await knownRoot(repository, record);
  const found = findSnapshot(root, request.snapshot);
  if (found === undefined) throw snapshotMissing(request.repository, request.snapshot);
  const snapshot = await readRecord(repository, found);
  const { indices: names, dataStreams } = request.choose(snapshot.indices, snapshot.dataStreams);
  const what = `${request.repository}:${request.snapshot}`;
  const features = featuresToRestore(request.featureStates, request.includeGlobalState, snapshot.featureStates, what);
  const wantsMetadata = request.includeGlobalState || dataStreams.length > 0 || features.length > 0;
  const metadata = wantsMetadata ? await readMetadata(repository, snapshot) : NO_METADATA;
  if (request.includeGlobalState && metadata.global === undefined) {
    throw refused(request, 'cannot restore global state since the snapshot was created without global state');
  }
  const security = restoredSecurity(context, features, snapshot, metadata);
  checkSettings(request);
  const rename = renaming(request.renameIndices);
  const streams = dataStreams.flatMap((name) => metadata.dataStreams.get(name) ?? []);
  const backing = new Set(streams.flatMap((stream) => stream.indices.map(({ name }) => name)));
  const renameIndex = (name: string): string => (backing.has(name) ? renamedBacking(name, rename) : rename(name));
  const all = new Set([...names, ...backing]);
  const indices: RestoredIndex[] = [];
  for (const name of snapshot.indices.filter((each) => all.has(each))) {
    indices.push(await restoredIndex(repository, root, snapshot, name, request, renameIndex));
  }
  checkNamesDiffer(
    request,
    'index',
    'indices',
    indices.map(({ name, metadata: { name: from } }) => [from, name] as const),
  );
  checkNamesDiffer(
    request,
    'data stream',
    'data streams',
    dataStreams.map((from) => [from, rename(from)] as const),
  );
  const renameAlias = renaming(request.renameAliases);
  const aliases = new Set(indices.flatMap(({ metadata: index }) => [...index.aliases.keys()]));
  return context.coordinator.submit(
    'restore-snapshot',
    {
      repository: request.repository,
      repositoryUuid: root.uuid,
      snapshot: snapshot.name,
      snapshotUuid: snapshot.uuid,
      generation: root.generation,
      indices,
      dataStreams: streams.map((stream) => renamed(stream, rename, request.includeAliases ? renameAlias : undefined)),
      includeAliases: request.includeAliases,
      renamedAliases: Object.fromEntries([...aliases].map((alias) => [alias, renameAlias(alias)])),
      settings: request.settings,
      ignoredSettings: request.ignoredSettings,
      mount: request.mount,
      global: request.includeGlobalState ? metadata.global : undefined,
      security,
    },
    { timeoutMs },
  );
}

const NO_METADATA: SnapshotMetadata = { dataStreams: new Map() };

/** Of whoever may put users: with them he might let anybody in, as whoever he likes. */
const SECURITY_ACTION = 'cluster:admin/xpack/security/user/put';

/** Undefined where it is to stay as it is. */
function restoredSecurity(
  context: ActionContext,
  wanted: readonly string[],
  { uuid }: SnapshotRecord,
  { features }: SnapshotMetadata,
): SecurityState | undefined {
  if (wanted.length === 0) return undefined;
  context.authority?.require(SECURITY_ACTION);
  if (features?.security === undefined) throw corrupt(`metadata-${uuid}`, 'lacks some of its members');
  return securityOf(features.security);
}

async function restoredIndex(
  repository: Repository,
  root: RepositoryRoot,
  snapshot: SnapshotRecord,
  name: string,
  request: RestoreRequest,
  rename: (name: string) => string,
): Promise<RestoredIndex> {
  const entry = root.indices.find((index) => index.name === name && snapshot.uuid in index.snapshots);
  const blob = entry?.snapshots[snapshot.uuid];
  if (entry === undefined || blob === undefined) throw refused(request, `index [${name}] is not in the repository`);
  const missingShards = snapshot.failures.filter(({ index }) => index === name).map(({ shard }) => shard);
  if (missingShards.length > 0 && !request.partial) {
    throw refused(request, `index [${name}] wasn't fully snapshotted - cannot restore`);
  }
  if (request.mount === 'shared_cache') await checkDivided(repository, entry, snapshot, request);
  const metadata = await readIndex(repository, snapshot, entry, blob);
  return { metadata, name: rename(name), indexId: entry.id, missingShards };
}

/** Files that were stored before their parts had checksums can be read as a whole only. */
async function checkDivided(
  repository: Repository,
  { id, name, shards }: RootIndex,
  { uuid }: SnapshotRecord,
  request: RestoreRequest,
): Promise<void> {
  for (const [shard, generation] of shards.entries()) {
    const { files = [] } = (await repository.shard(id, shard, generation))[uuid] ?? {};
    const file = files.find(({ parts }) => parts === undefined);
    if (file === undefined) continue;
    const why = `index [${name}] cannot be mounted with [storage] [shared_cache]: an earlier release stored the file`;
    throw refused(
      request,
      `${why} [${file.name}] of shard [${shard}] without checksums of its parts; snapshot it again`,
    );
  }
}

function renaming(by: Renaming | string | undefined): (name: string) => string {
  if (by === undefined) return (name) => name;
  if (typeof by === 'string') return () => by;
  const pattern = new LinearRegex(by.pattern);
  return (name) => replaceMatches(pattern, name, by.replacement);
}

/** Of an index of a data stream: what follows the prefix is renamed, which has the name of the stream in it. */
function renamedBacking(name: string, rename: (name: string) => string): string {
  if (!name.startsWith(BACKING_PREFIX)) return rename(name);
  return `${BACKING_PREFIX}${rename(name.slice(BACKING_PREFIX.length))}`;
}

/** `renameAlias` undefined: without aliases. */
function renamed(
  { aliases, ...stream }: DataStream,
  rename: (name: string) => string,
  renameAlias: ((name: string) => string) | undefined,
): DataStream {
  const indices = stream.indices.map((index) => ({ ...index, name: renamedBacking(index.name, rename) }));
  const others = { ...stream, name: rename(stream.name), indices };
  if (aliases === undefined || renameAlias === undefined) return others;
  return { ...others, aliases: new Map([...aliases].map(([alias, each]) => [renameAlias(alias), each] as const)) };
}

/** Throws `snapshot_restore_exception` for settings that a restore may not change. */
function checkSettings(request: RestoreRequest): void {
  for (const key of FIXED_SETTINGS) {
    if (request.settings.has(key)) throw refused(request, `cannot modify setting [${key}] on restore`);
    if (request.ignoredSettings.includes(key)) throw refused(request, `cannot remove setting [${key}] on restore`);
  }
}

/** `renamedNames`: names in the snapshot, and what they become. */
function checkNamesDiffer(
  request: RestoreRequest,
  one: string,
  several: string,
  renamedNames: readonly (readonly [from: string, to: string])[],
): void {
  const taken = new Map<string, string>();
  for (const [from, to] of renamedNames) {
    const other = taken.get(to);
    if (other !== undefined) {
      throw refused(request, `${several} [${from}] and [${other}] are renamed into the same ${one} [${to}]`);
    }
    taken.set(to, from);
  }
}

function refused({ repository, snapshot }: RestoreRequest, why: string): QuarryError {
  return new QuarryError('snapshot_restore_exception', `[${repository}:${snapshot}] ${why}`);
}

export interface RestoreCounts {
  readonly total: number;
  readonly successful: number;
  readonly failed: number;
}

const WAIT_MS = 3_600_000;

/** Resolves when every shard is there, or has failed. */
export async function whenRestored(context: ActionContext, { indices }: BegunRestore): Promise<RestoreCounts> {
  for (;;) {
    const done = (state: ClusterState): boolean => countsOf(state, indices) !== undefined;
    const state = await context.whenState(done, WAIT_MS, context.cancellation);
    context.cancellation.throwIfCancelled();
    const counts = state === undefined ? undefined : countsOf(state, indices);
    if (counts !== undefined) return counts;
  }
}

/** Undefined while some shard is on its way. */
function countsOf(state: ClusterState, indices: BegunRestore['indices']): RestoreCounts | undefined {
  const counts = { total: 0, successful: 0, failed: 0 };
  for (const { name, uuid } of indices) {
    const index = state.indices.get(name);
    // One that was deleted meanwhile is not waited for.
    if (index?.uuid !== uuid) continue;
    for (const copies of state.routing.get(name)?.shards ?? []) {
      const shard = restoredShard(index, copies);
      if (shard === 'waiting') return undefined;
      counts.total++;
      counts[shard === 'done' ? 'successful' : 'failed']++;
    }
  }
  return counts;
}
