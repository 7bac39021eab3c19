/**
 * The shards of one simulated node: the real `ShardHost`, `ReplicationGroup` and `ManagedReplica` over simulated stores.
 * Follows `node/worker/shard-lifecycle.ts` and `node/worker/shard-calls.ts`.
 */
import { ShardHost, type ShardLifecycle } from '../../src/actions/shard-host.js';
import type { ShardKey } from '../../src/actions/shard-client.js';
import type { SnapshotShardInput } from '../../src/actions/operations/snapshot-shard.js';
import type { OpenShard } from '../../src/actions/shard-operation.js';
import { asQuarryError } from '../../src/base/error-wire.js';
import { QuarryError } from '../../src/base/errors.js';
import { silentLogger } from '../../src/base/logger.js';
import { newUuid, type Random } from '../../src/base/random.js';
import type { ShardReport } from '../../src/cluster/changes/copies/shard-reports.js';
import { shardKey } from '../../src/cluster/disks/cluster-info.js';
import { recoveryLimits } from '../../src/cluster/copies/recovery-limits.js';
import { holdsPrimaryOffice } from '../../src/cluster/copies/shard-copies.js';
import { emptyClusterState, type ClusterState, type IndexMetadata, type ShardCopy } from '../../src/cluster/state.js';
import type { CoordinatorClient } from '../../src/coordinator/client.js';
import { replicationServices, type CopyLinkServices } from '../../src/node/worker/copy-links.js';
import { ManagedReplica } from '../../src/shard/managed-replica.js';
import type { RecoveryProgress } from '../../src/shard/recovery-progress.js';
import type { RetentionServices } from '../../src/shard/replication/history-retention.js';
import type { RecoveryLimits } from '../../src/shard/replication/recovery-limits.js';
import type {
  AppendRequest,
  FilesRequest,
  FinalizeRequest,
  PrimaryHead,
  RetentionRequest,
  SetRequest,
} from '../../src/shard/replication/copy-link.js';
import { ReplicationGroup, type ShardView } from '../../src/shard/replication/replication-group.js';
import { primaryStore, replicaShard, type CopyStore, type Operation } from './copy-store.js';
import type { SimulatedProcess } from './process.js';
import type { SnapshotWorker } from './snapshot-worker.js';
import type { Witness } from './witness.js';

export interface ShardRequest {
  readonly key: ShardKey;
  readonly name: string;
  readonly input: unknown;
  readonly stateVersion: number;
}

export interface SimulatedShardsOptions {
  readonly nodeId: string;
  /** `ephemeralId` of the node. */
  readonly run: string;
  readonly process: SimulatedProcess;
  readonly random: Random;
  /** By shard key: the directories of the machine. */
  readonly stores: Map<string, CopyStore>;
  readonly coordinator: CoordinatorClient;
  readonly witness: Witness;
  readonly snapshots: SnapshotWorker;
  readonly onCopy: CopyLinkServices['onCopy'];
}

const LIMITS = recoveryLimits(emptyClusterState('', ''));
const OPENING_MS_MAX = 60;
const WRITE_MS_MAX = 5;
/** Openings that fail, in a hundred. */
const FAILURE_PERCENT = 4;
const FIRST_REPORT_RETRY_MS = 100;
const REPORT_RETRY_MS_MAX = 10_000;

/** What is kept for copies that are gone is not simulated: they are aligned, or copied anew. */
function retention(ownNodeId: string): RetentionServices {
  return {
    ownNodeId,
    known: [],
    periodMs: () => LIMITS.inactivityMs,
    save: () => undefined,
    settled: () => Promise.resolve(),
  };
}

class SimulatedPrimary {
  readonly office = 'primary';
  readonly copies: ReplicationGroup;
  readonly store: CopyStore;
  private readonly key: ShardKey;
  private readonly options: SimulatedShardsOptions;

  constructor(key: ShardKey, store: CopyStore, options: SimulatedShardsOptions, onDeposed: (reason: string) => void) {
    this.key = key;
    this.store = store;
    this.options = options;
    const { process, coordinator, onCopy } = options;
    const { clock } = process;
    const pace = (): Promise<number> => Promise.resolve(0);
    const recoveryLimits = (): RecoveryLimits => LIMITS;
    const links: CopyLinkServices = { clock, logger: silentLogger, coordinator, pace, recoveryLimits, onCopy };
    const services = replicationServices(key, store.primaryTerm, retention(options.nodeId), links);
    this.copies = new ReplicationGroup(primaryStore(store), services, onDeposed);
  }

  async write(id: number): Promise<void> {
    const { store, options } = this;
    this.copies.refuseIfClosed();
    const operation = { term: store.primaryTerm, id };
    const seqNo = store.operations.push(operation) - 1;
    await options.process.pause(options.random.below(WRITE_MS_MAX));
    await this.copies.replicated(seqNo);
    options.witness.acknowledged(shardKey(this.key.indexUuid, this.key.shard), seqNo, operation);
  }
}

export class SimulatedShards {
  private readonly options: SimulatedShardsOptions;
  private readonly host: ShardHost;
  private readonly primaries = new Set<SimulatedPrimary>();

  constructor(options: SimulatedShardsOptions) {
    this.options = options;
    this.host = new ShardHost(this.lifecycle(), silentLogger, options.process.clock);
  }

  apply(state: ClusterState): Promise<void> {
    return this.host.apply(state, this.options.nodeId, 0);
  }

  /** A client writes to some primary of this node. */
  async write(id: number): Promise<void> {
    const open = [...this.primaries];
    const primary = open[this.options.random.below(Math.max(1, open.length))];
    await primary?.write(id);
  }

  async answer({ key, name, input }: Omit<ShardRequest, 'stateVersion'>): Promise<unknown> {
    const shard = await this.host.shard(key);
    if (name === 'snapshot-shard' && shard.office === 'primary') {
      const { store } = shard as unknown as SimulatedPrimary;
      return this.options.snapshots.copy(key, store, input as SnapshotShardInput);
    }
    if (shard.office !== 'replica') throw new QuarryError('shard_not_found_exception', 'the copy is a primary');
    await this.options.process.pause(this.options.random.below(WRITE_MS_MAX));
    switch (name) {
      case 'replica-align':
        return shard.align(input as PrimaryHead);
      case 'replica-append':
        return shard.append(input as AppendRequest);
      case 'replica-files':
        return shard.missingFiles(input as FilesRequest);
      case 'replica-install':
        return shard.install(input as SetRequest);
      case 'replica-finalize':
        shard.finalize(input as FinalizeRequest);
        return null;
      case 'replica-retain':
        shard.retain(input as RetentionRequest);
        return null;
      default:
        throw new QuarryError('internal_error', `no operation [${name}] is simulated`);
    }
  }

  private lifecycle(): ShardLifecycle {
    const { process, random, coordinator } = this.options;
    return {
      open: async (current, copy, recovery, onFailure) => {
        await process.pause(1 + random.below(OPENING_MS_MAX));
        if (random.below(100) < FAILURE_PERCENT) throw new QuarryError('i_o_exception', 'the simulated disk fails');
        return this.open(current, copy, recovery, onFailure);
      },
      update: () => undefined,
      follow(shard: OpenShard, view: ShardView) {
        if (shard.office === 'primary') shard.copies.follow(view);
      },
      close: async (shard) => {
        if (shard.office === 'primary') {
          shard.copies.close();
          this.primaries.delete(shard as unknown as SimulatedPrimary);
        } else await shard.close();
      },
      deleteFiles: (indexUuid, shard) => {
        this.options.stores.delete(shardKey(indexUuid, shard));
        return Promise.resolve();
      },
      lastCommit: () => Promise.reject(new Error('nobody asks for it')),
      closedSet: () => Promise.reject(new Error('nobody asks for it')),
      reportStarted: (shard) => {
        this.report(() => coordinator.submit('shards-started', { shards: [shard] }));
      },
      reportFailed: (shard: ShardReport, reason) => {
        this.report(() => coordinator.submit('shard-failed', { shard, reason }));
      },
    };
  }

  private open(
    current: () => IndexMetadata,
    copy: ShardCopy,
    recovery: RecoveryProgress,
    onFailure: (reason: string) => void,
  ): Promise<OpenShard> {
    const index = current();
    const key: ShardKey = { index: index.name, indexUuid: index.uuid, shard: copy.shard };
    const id = shardKey(index.uuid, copy.shard);
    if (!holdsPrimaryOffice(copy)) return this.openReplica(key, id, index, copy, recovery, onFailure);
    return this.openPrimary(key, id, index, copy, onFailure);
  }

  private async openPrimary(
    key: ShardKey,
    id: string,
    index: IndexMetadata,
    copy: ShardCopy,
    onFailure: (reason: string) => void,
  ): Promise<OpenShard> {
    const inSync = index.inSyncAllocationIds[copy.shard] ?? [];
    const isNew = inSync.length === 0;
    if (isNew) await this.options.snapshots.beforeOpening();
    const operations = isNew ? await this.restored(index, copy.shard) : [];
    const store = isNew ? this.make(id, newUuid(this.options.random), operations) : this.options.stores.get(id);
    if (store === undefined) throw new QuarryError('corrupt_index_exception', 'there is no commit point');
    if (!isNew && ![store.allocationId, store.formerAllocationId].includes(copy.allocationId ?? '')) {
      throw new QuarryError('illegal_state_exception', 'the files are of another copy');
    }
    store.allocationId = copy.allocationId ?? '';
    store.formerAllocationId = undefined;
    store.primaryTerm = index.primaryTerms[copy.shard] ?? 1;
    this.options.witness.primaryOpened(id, this.options.run, store, isNew);
    const primary = new SimulatedPrimary(key, store, this.options, onFailure);
    this.primaries.add(primary);
    return primary as unknown as OpenShard;
  }

  /** Of an index that comes out of a snapshot, what the shard has there. */
  private async restored({ restoredFrom: source }: IndexMetadata, shard: number): Promise<readonly Operation[]> {
    if (source === undefined || source.missingShards.includes(shard)) return [];
    return this.options.snapshots.restored(source, shard);
  }

  private openReplica(
    key: ShardKey,
    id: string,
    index: IndexMetadata,
    copy: ShardCopy,
    recovery: RecoveryProgress,
    onFailure: (reason: string) => void,
  ): Promise<OpenShard> {
    const allocationId = copy.allocationId ?? '';
    const { process, stores } = this.options;
    const inSync = index.inSyncAllocationIds[copy.shard] ?? [];
    const take = (store: CopyStore): CopyStore => {
      store.formerAllocationId = [store.allocationId, store.formerAllocationId].find(
        (former) => former !== undefined && former !== allocationId && inSync.includes(former),
      );
      store.allocationId = allocationId;
      return store;
    };
    const found = stores.get(id);
    const mayStartAnew = !inSync.includes(allocationId);
    if (found === undefined && !mayStartAnew) {
      throw new QuarryError('corrupt_index_exception', 'there is no commit point');
    }
    const replicaStore = {
      mayStartAnew,
      open: () => Promise.resolve(found === undefined ? undefined : replicaShard(take(found))),
      create: (historyUuid: string) => Promise.resolve(replicaShard(take(this.make(id, historyUuid)))),
    };
    const services = { clock: process.clock, logger: silentLogger, recovery, onFailure };
    return ManagedReplica.open(key, replicaStore, { ...services, retention: retention(this.options.nodeId) });
  }

  private make(id: string, historyUuid: string, operations: readonly Operation[] = []): CopyStore {
    const made: CopyStore = {
      historyUuid,
      allocationId: '',
      formerAllocationId: undefined,
      primaryTerm: 0,
      globalCheckpoint: -1,
      operations: [...operations],
    };
    this.options.stores.set(id, made);
    return made;
  }

  /** As `shardLifecycle`: until it succeeds or is outdated. */
  private report(submit: () => Promise<unknown>, delayMs = FIRST_REPORT_RETRY_MS): void {
    submit().catch((error: unknown) => {
      if (asQuarryError(error).type === 'no_longer_primary_shard_exception') return;
      this.options.process.after(delayMs, () => {
        this.report(submit, Math.min(2 * delayMs, REPORT_RETRY_MS_MAX));
      });
    });
  }
}
