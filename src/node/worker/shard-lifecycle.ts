/** How a worker opens, changes and closes its shards. */
import type { ShardLifecycle } from '../../actions/shard-host.js';
import { shardName } from '../../actions/shard-client.js';
import type { RepositoryAccess } from '../../actions/snapshots/repository-access.js';
import { must } from '../../base/assert.js';
import { systemClock } from '../../base/clock.js';
import { asQuarryError } from '../../base/error-wire.js';
import { illegalArgument, QuarryError } from '../../base/errors.js';
import type { Logger } from '../../base/logger.js';
import { analysisJson } from '../../cluster/mapping/analysis-settings.js';
import { compiledMapping } from '../../cluster/mapping/compiled-mapping.js';
import { findMerges } from '../../cluster/merge-policy.js';
import { mergePolicy, numberSetting, shardSettings } from '../../cluster/settings/index-values.js';
import { FORCED_ALLOCATION_ID } from '../../cluster/changes/copies/in-sync.js';
import {
  holdsPrimaryOffice,
  isMadeAnew,
  recoverySourceOf,
  type RecoverySource,
} from '../../cluster/copies/shard-copies.js';
import { isMounted } from '../../cluster/snapshots/mounted.js';
import { isPartial } from '../../cluster/snapshots/partial.js';
import type { ClusterState, IndexMetadata, ShardCopy } from '../../cluster/state.js';
import type { CoordinatorClient } from '../../coordinator/client.js';
import { removeShardDirectory } from '../../native/removal.js';
import { ReplicaShard } from '../../native/replica-shard.js';
import { NativeShard } from '../../native/shard.js';
import type { KeptFiles } from '../../native/remote-files.js';
import type { ShardOptions } from '../../native/shard-options.js';
import type { SegmentStats } from '../../native/shard-statistics.js';
import { hasCommit, lacksSegments, newestCommit } from '../../segment/newest-commit.js';
import type { FileCopying, FileCopyingServices } from '../../shard/file-copying.js';
import type { IndexingMemory } from '../../shard/indexing-memory.js';
import { ManagedReplica, type ReplicaStore } from '../../shard/managed-replica.js';
import {
  ManagedShard,
  type ManagedShardKey,
  type ManagedShardSettings,
  type RunningMerge,
  type ShardMerges,
} from '../../shard/managed-shard.js';
import type { RecoveryProgress } from '../../shard/recovery-progress.js';
import type { RecoveryLimits } from '../../shard/replication/recovery-limits.js';
import {
  copiesOfRecord,
  readCopyRecord,
  readWholeCopyRecord,
  writeCopyRecord,
  type CopyRecord,
} from '../../store/copy-record.js';
import { makeDirectory } from '../../store/files.js';
import { removeIndexDirectoryIfEmpty } from '../../store/index-record.js';
import { shardDirectory } from '../../store/layout.js';
import { replicationServices, type CopyLinkServices } from './copy-links.js';
import { StartReports } from './start-reports.js';
import { gatherParts } from './shard-parts.js';
import type { RestoreServices } from './shard-restore.js';
import { retentionServices } from './retention-file.js';

export interface LifecycleServices {
  readonly indicesPath: string;
  /** Of this node, once the worker is wired. */
  readonly nodeId: () => string;
  readonly coordinator: CoordinatorClient;
  readonly logger: Logger;
  /** Bound of one shard's indexing buffer. */
  readonly shardBufferBytes: number;
  /** Of this worker, once it is wired. */
  indexingMemory(): IndexingMemory;
  /** Has the coordinator carry out a merge; `what` tells of it in the list of tasks. */
  startMerge(job: Uint8Array, what: string): RunningMerge;
  /** Lists a recovery as a task. */
  announceRecovery(what: string, ended: Promise<void>): void;
  readonly clusterState: () => ClusterState;
  /** Asks a copy that may be on another node. */
  readonly onCopy: CopyLinkServices['onCopy'];
  /** Closes what searches hold open of a shard that is gone; see `shardName`. */
  forgetContexts(shard: string): void;
  /** Of this worker. */
  readonly repositories: RepositoryAccess;
  /** Of copies that recover from primaries of this worker. */
  readonly recoveryLimits: () => RecoveryLimits;
}

const FIRST_REPORT_RETRY_MS = 100;
const REPORT_RETRY_MS_MAX = 10_000;
/** Of a file of a mounted index; less where the pace of restores allows less in a second. */
const COPIED_AT_ONCE_MAX = 4 << 20;
/** A recovery that takes so long is listed as a task; most have ended long before. */
const ANNOUNCED_AFTER_MS = 250;

export function shardLifecycle(services: LifecycleServices): ShardLifecycle {
  const { coordinator, indicesPath, logger } = services;
  // Tried until it succeeds or is outdated: a coordinator that cannot write its state now must hear of the shard later.
  const report = (submit: () => Promise<unknown>, delayMs = FIRST_REPORT_RETRY_MS): void => {
    submit().catch((error: unknown) => {
      // Another primary took over, or the shard was opened anew: nobody waits for this report.
      if (asQuarryError(error).type === 'no_longer_primary_shard_exception') return;
      logger.log('warn', 'a shard report failed', { reason: asQuarryError(error).message });
      systemClock.schedule(delayMs, () => {
        report(submit, Math.min(2 * delayMs, REPORT_RETRY_MS_MAX));
      });
    });
  };
  const startReports = new StartReports(systemClock, (shards) => {
    report(() => coordinator.submit('shards-started', { shards }));
  });
  const { onCopy, recoveryLimits } = services;
  const pace = services.repositories.paces.pace('recovery', () => recoveryLimits().bytesPerSecond);
  const linkServices: CopyLinkServices = { clock: systemClock, logger, coordinator, pace, onCopy, recoveryLimits };
  return {
    async open(current, copy, recovery, onFailure, onRestoring) {
      const key = { index: current().name, indexUuid: current().uuid, shard: copy.shard };
      const source = recoverySourceOf(current(), copy).toLowerCase();
      const announce = systemClock.schedule(ANNOUNCED_AFTER_MS, () => {
        if (!recovery.isDone) services.announceRecovery(`[${key.index}][${key.shard}] from ${source}`, recovery.ended);
      });
      void recovery.ended.then(announce);
      const directory = shardDirectory(indicesPath, key.indexUuid, copy.shard);
      const periodMs = (): number => numberSetting(current(), 'retentionLeasePeriod');
      const retention = retentionServices(directory, copy.nodeId ?? '', periodMs, logger);
      if (!holdsPrimaryOffice(copy)) {
        const store = replicaStore(current, copy, services);
        return ManagedReplica.open(key, store, { clock: systemClock, logger, recovery, retention, onFailure });
      }
      const opened = current();
      recovery.enter('INDEX');
      const native = await openNative(opened, copy, { ...services, recovery, onRestoring });
      noteOpened(recovery, native, native.remote === undefined ? recoverySourceOf(opened, copy) : 'SNAPSHOT');
      const replication = replicationServices(key, termOf(opened, copy), retention, linkServices);
      const merges: ShardMerges = {
        // What a mounted index has stays as its snapshot has it.
        choose: (segments) =>
          isMounted(current()) ? [] : findMerges(segments, merging(segments), mergePolicy(current())),
        start: (job) => services.startMerge(job, `merge of segments of [${key.index}][${key.shard}]`),
      };
      const memory = services.indexingMemory();
      const copying = await startCopying(opened, key, native, { ...services, recovery, onFailure }).catch(
        async (error: unknown) => {
          await native.close();
          throw error;
        },
      );
      const shardServices = { clock: systemClock, logger, merges, memory, replication, copying, onFailure };
      return new ManagedShard(key, native, managedSettings(current()), shardServices);
    },
    update(shard, index, former) {
      // A replica that is not made yet is made of the newest.
      if (shard.office === 'replica' && !shard.isMade) return;
      if (index.mappingVersion !== former.mappingVersion) shard.native.updateMapping(compiledMapping(index));
      if (index.settingsVersion === former.settingsVersion) return;
      if (shard.office === 'primary') shard.update(managedSettings(index));
      else shard.native.updateSettings(shardSettings(index));
    },
    follow(shard, view) {
      if (shard.office === 'primary') shard.copies.follow(view);
    },
    close: (shard) => shard.close(),
    async deleteFiles(indexUuid, shard) {
      services.forgetContexts(shardName({ indexUuid, shard }));
      await removeShardDirectory(shardDirectory(indicesPath, indexUuid, shard));
      await removeIndexDirectoryIfEmpty(indicesPath, indexUuid);
    },
    async closedSet(index, copy) {
      const options = shardOptions(index, copy, services);
      if (lacksFiles(index, options.directory)) {
        throw illegalArgument(`[${index.name}] is closed, and its files lie in another snapshot: open it first`);
      }
      const native = await NativeShard.open(options, compiledMapping(index), analysisJson(index.settings));
      try {
        return native.segmentSet();
      } finally {
        await native.close();
      }
    },
    async lastCommit(indexUuid, shard) {
      const directory = shardDirectory(indicesPath, indexUuid, shard);
      const commit = await newestCommit(directory);
      if (commit !== undefined) return commit;
      throw new QuarryError('corrupt_index_exception', `[${directory}] holds no commit point`);
    },
    reportStarted: (shard, others) => {
      startReports.add(shard, others);
    },
    reportFailed: (shard, reason) => {
      report(() => coordinator.submit('shard-failed', { shard, reason }));
    },
  };
}

/** A copy that never held an acknowledged operation, or whose data is in a snapshot, is made anew; any other must be found as it was left. */
async function openNative(
  index: IndexMetadata,
  copy: ShardCopy,
  services: LifecycleServices & Pick<RestoreServices, 'recovery' | 'onRestoring'>,
): Promise<NativeShard> {
  const options = shardOptions(index, copy, services);
  const { directory } = options;
  const mapping = compiledMapping(index);
  const analysis = analysisJson(index.settings);
  const record = recordOf(index, copy);
  // Of a partial mount, and of one whose files had not all come, there is nothing on the disk that could be used again.
  const isElsewhere = isPartial(index) || lacksFiles(index, directory);
  if (isMadeAnew(index, copy) || isElsewhere) {
    await removeShardDirectory(directory);
    makeDirectory(directory);
    if (recoverySourceOf(index, copy) === 'SNAPSHOT' || isElsewhere) {
      const source = must(index.restoredFrom, 'the source of a restored index');
      const kept = keptFiles(index);
      const { restoreFiles } = await import('./shard-restore.js');
      const remote = await restoreFiles(source, options, mapping, analysis, services, kept);
      try {
        await writeCopyRecord(directory, record);
        return await NativeShard.open(options, mapping, analysis, remote);
      } catch (error) {
        remote?.close();
        throw error;
      }
    }
    const parts = await gatherParts(index, copy, services);
    // Side by side: both wait for the disk. One without the other is made anew.
    const recorded = writeCopyRecord(directory, record);
    // It is waited for below, and may fail before: nobody else is to end for that.
    recorded.catch(() => undefined);
    const made = await (
      parts === undefined
        ? NativeShard.create(options, mapping, analysis)
        : NativeShard.createOfParts(options, mapping, analysis, parts)
    ).finally(() => recorded.catch(() => undefined));
    await recorded;
    return made;
  }
  const isForced = index.inSyncAllocationIds[copy.shard]?.includes(FORCED_ALLOCATION_ID) === true;
  const found = readCopyRecord(directory);
  if (found !== undefined && !copiesOfRecord(found).includes(record.allocationId) && !isForced) {
    const reason = `[${directory}] holds the copy [${found.allocationId}] and not the in-sync copy [${record.allocationId}]`;
    throw new QuarryError('illegal_state_exception', reason);
  }
  const opened = await NativeShard.open(options, mapping, analysis);
  if (found?.allocationId !== record.allocationId) await writeCopyRecord(directory, record);
  return opened;
}

/** Directories of other indices are not looked at: a node may open thousands of them. */
function lacksFiles(index: IndexMetadata, directory: string): boolean {
  return isMounted(index) && lacksSegments(directory);
}

/** How files of the index are read in its repository; undefined: they are not. */
function keptFiles(index: IndexMetadata): KeptFiles | undefined {
  if (!isMounted(index)) return undefined;
  return isPartial(index) ? 'cached' : 'copied';
}

/** Undefined where nothing is to be copied. */
async function startCopying(
  index: IndexMetadata,
  { shard }: ManagedShardKey,
  native: NativeShard,
  services: LifecycleServices & Pick<FileCopyingServices, 'recovery' | 'onFailure'>,
): Promise<FileCopying | undefined> {
  const { remote } = native;
  if (remote?.kept !== 'copied') return undefined;
  const { repositories, clusterState, logger, recovery, onFailure } = services;
  const { FileCopying } = await import('../../shard/file-copying.js');
  const source = must(index.restoredFrom, 'the source of a restored index');
  const repository = repositories.of(clusterState(), source.repository);
  const pace = repositories.restorePace(repository);
  recovery.copying();
  const pieceBytes = Math.min(repository.options.restoreBytesPerSecond || COPIED_AT_ONCE_MAX, COPIED_AT_ONCE_MAX);
  const copyServices = {
    clock: systemClock,
    logger,
    recovery,
    pace,
    pieceBytes,
    turns: repositories.pieces,
    onFailure,
  };
  return new FileCopying(`[${index.name}][${shard}]`, native, remote, copyServices);
}

function recordOf(index: IndexMetadata, copy: ShardCopy): CopyRecord {
  return { allocationId: copy.allocationId ?? '', index: index.name, indexCreatedAtMs: index.creationDateMs };
}

/** What comes of the files from now on is this copy's; but should its primary be gone already, they are still those that were left. */
function succeedingRecord(directory: string, index: IndexMetadata, copy: ShardCopy): CopyRecord {
  const record = recordOf(index, copy);
  const found = readWholeCopyRecord(directory);
  const inSync = index.inSyncAllocationIds[copy.shard] ?? [];
  const former = found && copiesOfRecord(found).find((id) => id !== record.allocationId && inSync.includes(id));
  return former === undefined ? record : { ...record, formerAllocationId: former };
}

/** Segments of the directory are used as they are, or came from other shards; what the translog held beyond them was indexed. */
function noteOpened(recovery: RecoveryProgress, native: NativeShard, source: RecoverySource): void {
  if (source !== 'SNAPSHOT') noteFiles(recovery, native, source === 'LOCAL_SHARDS');
  recovery.enter('TRANSLOG');
  const { uncommittedOperations } = native.stats().translog;
  recovery.planOperations(uncommittedOperations);
  recovery.recoveredOperations(uncommittedOperations);
  recovery.enter('FINALIZE');
}

function noteFiles(recovery: RecoveryProgress, native: NativeShard, isOfOthers: boolean): void {
  const files = native.segments().map(({ name, bytes }) => ({ name: `${name}.seg`, length: bytes }));
  recovery.planFiles(files, new Set(isOfOthers ? files.map(({ name }) => name) : []));
  if (isOfOthers) for (const { name, length } of files) recovery.received(name, length, 0);
}

/**
 * What a copy that was here before left is used again: the primary sends what is missing. Nothing is given up that an
 * in-sync copy left; a damaged one of those fails.
 */
function replicaStore(current: () => IndexMetadata, copy: ShardCopy, services: LifecycleServices): ReplicaStore {
  const directory = shardDirectory(services.indicesPath, current().uuid, copy.shard);
  const inSync = current().inSyncAllocationIds[copy.shard] ?? [];
  // What a mounted index lacks of its files is in its snapshot, and in the primary.
  const mayStartAnew = !inSync.includes(copy.allocationId ?? '') || lacksFiles(current(), directory);
  const open = async (): Promise<ReplicaShard> => {
    const index = current();
    await writeCopyRecord(directory, succeedingRecord(directory, index, copy));
    return ReplicaShard.open(shardOptions(index, copy, services), compiledMapping(index), analysisJson(index.settings));
  };
  return {
    mayStartAnew,
    async open() {
      if (!mayStartAnew) return open();
      if (!hasCommit(directory) || lacksFiles(current(), directory)) return undefined;
      try {
        return await open();
      } catch (error) {
        const { type, message } = asQuarryError(error);
        if (type !== 'corrupt_index_exception') throw error;
        services.logger.log('warn', 'a former copy cannot be used', { directory, reason: message });
        return undefined;
      }
    },
    async create(historyUuid) {
      const index = current();
      await removeShardDirectory(directory);
      await writeCopyRecord(directory, recordOf(index, copy));
      const options = shardOptions(index, copy, services);
      return ReplicaShard.create(options, compiledMapping(index), analysisJson(index.settings), historyUuid);
    },
  };
}

function shardOptions(index: IndexMetadata, copy: ShardCopy, services: LifecycleServices): ShardOptions {
  return {
    directory: shardDirectory(services.indicesPath, index.uuid, copy.shard),
    index: index.name,
    indexUuid: index.uuid,
    shard: copy.shard,
    node: services.nodeId(),
    primaryTerm: termOf(index, copy),
    settings: shardSettings(index),
    bufferBytes: services.shardBufferBytes,
  };
}

function termOf(index: IndexMetadata, copy: ShardCopy): number {
  return index.primaryTerms[copy.shard] ?? 1;
}

function managedSettings(index: IndexMetadata): ManagedShardSettings {
  const isIntervalChosen = index.settings.has('index.refresh_interval');
  return {
    native: shardSettings(index),
    refreshIntervalMs: numberSetting(index, 'refreshInterval'),
    // Who chooses an interval wants it kept.
    searchIdleAfterMs: isIntervalChosen ? undefined : numberSetting(index, 'searchIdleAfter'),
    syncIntervalMs: numberSetting(index, 'translogSyncInterval'),
    refreshListenersMax: numberSetting(index, 'maxRefreshListeners'),
  };
}

function merging(segments: readonly SegmentStats[]): ReadonlySet<string> {
  return new Set(segments.flatMap((segment) => (segment.merging ? [segment.name] : [])));
}
