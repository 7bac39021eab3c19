/** What a worker of a simulated node does with snapshots: the real actions, over a simulated repository and simulated shards. */
import { createHash } from 'node:crypto';
import type { ActionContext } from '../../src/actions/context.js';
import { snapshotsStopped, type SnapshotsStoppedInput } from '../../src/actions/nodes/snapshots-stopped.js';
import { snapshotShard, type SnapshotShardInput } from '../../src/actions/operations/snapshot-shard.js';
import type { OpenShard, ShardOperationContext } from '../../src/actions/shard-operation.js';
import type { CopyPlace, ShardClient, ShardKey } from '../../src/actions/shard-client.js';
import { runSnapshots } from '../../src/actions/snapshots/run-snapshots.js';
import { SnapshotWriters } from '../../src/actions/snapshots/snapshot-writers.js';
import { Cancellation } from '../../src/base/cancellation.js';
import { QuarryError } from '../../src/base/errors.js';
import { Lanes } from '../../src/base/lanes.js';
import { silentLogger } from '../../src/base/logger.js';
import type { Random } from '../../src/base/random.js';
import { findRepository } from '../../src/cluster/changes/snapshots/repositories.js';
import type { RepositoryRecord, RestoreSource } from '../../src/cluster/snapshots/types.js';
import type { ClusterState } from '../../src/cluster/state.js';
import type { CoordinatorClient } from '../../src/coordinator/client.js';
import type { StateHolder } from '../../src/coordinator/state-holder.js';
import type { SegmentFile } from '../../src/native/replication.js';
import { Repository } from '../../src/repositories/repository.js';
import type { CopyStore, Operation } from './copy-store.js';
import type { SimulatedProcess } from './process.js';
import { SimulatedBlobStore } from './simulated-blobs.js';
import { OPTIONS, type StoredSnapshots } from './stored-snapshots.js';

export interface SnapshotWorkerOptions {
  readonly nodeId: string;
  /** `ephemeralId` of the node. */
  readonly run: string;
  readonly process: SimulatedProcess;
  readonly random: Random;
  readonly states: StateHolder;
  readonly coordinator: Pick<CoordinatorClient, 'submit'>;
  readonly stored: StoredSnapshots;
  readonly onCopy: ShardClient['onCopy'];
  readonly whenStopped: (nodeId: string, input: SnapshotsStoppedInput) => Promise<void>;
}

/** A segment of a shard holds so many operations: what snapshots share. */
const OPERATIONS_OF_FILE = 3;
const COPIES_MAX = 2;
/** Pauses of a copy, for its rate. */
const PAUSE_MS_MAX = 30;
/** Of shards that are slow to open: snapshots wait for such a shard. */
const OPENING_MS_MAX = 3_000;
const CANCELLATION_LOOK_MS = 50;
const noPause = (): Promise<number> => Promise.resolve(0);

export class SnapshotWorker {
  private readonly options: SnapshotWorkerOptions;
  private readonly repositories = new Map<string, Repository>();
  private readonly access: object;

  constructor(options: SnapshotWorkerOptions) {
    this.options = options;
    this.access = {
      copies: new Lanes(COPIES_MAX),
      progress: new Map(),
      writers: new SnapshotWriters(),
      of: (state: ClusterState, name: string) => this.repository(findRepository(state, name)),
      ofRecord: (record: RepositoryRecord) => this.repository(record),
      snapshotPace: () => async () => {
        await options.process.pause(options.random.below(PAUSE_MS_MAX));
      },
      restorePace: () => noPause,
    };
  }

  /** For one piece of work. */
  context(): ActionContext {
    const { nodeId, process, random, states, coordinator, onCopy } = this.options;
    const cancellation = new Cancellation();
    const context = {
      node: { id: nodeId },
      clock: process.clock,
      random,
      logger: silentLogger,
      cancellation,
      clusterState: () => states.current,
      whenState: states.when.bind(states),
      coordinator,
      repositories: this.access,
      shards: {
        onCopy: (...asked: Parameters<ShardClient['onCopy']>) => this.orGivenUp(onCopy(...asked), cancellation),
      },
      nodes: {
        onWorker: (place: CopyPlace, _name: string, input: SnapshotsStoppedInput) => this.askStopped(place, input),
      },
      tasks: {
        number: 0,
        opaqueId: '',
        begin: () => Promise.resolve({ context: this.context(), finish: () => undefined }),
      },
    };
    return context as unknown as ActionContext;
  }

  run(): Promise<void> {
    return runSnapshots(this.context());
  }

  /** As another node asks, or this one. */
  async stopped(input: SnapshotsStoppedInput): Promise<null> {
    await snapshotsStopped.run(this.context(), input);
    this.options.stored.saidStopped(this.options.run, input.snapshotUuids);
    return null;
  }

  private async askStopped({ nodeId }: CopyPlace, input: SnapshotsStoppedInput): Promise<void> {
    if (nodeId === this.options.nodeId) await this.stopped(input);
    else await this.options.whenStopped(nodeId, input);
  }

  /** As `TransportClient`: the caller does not wait for the other node, which may never hear that nobody does. */
  private orGivenUp<Answer>(answer: Promise<Answer>, cancellation: Cancellation): Promise<Answer> {
    const { clock } = this.options.process;
    return new Promise((resolve, reject) => {
      const look = (): void => {
        if (cancellation.isCancelled) reject(new QuarryError('task_cancelled_exception', 'the caller gave it up'));
        else stop = clock.schedule(CANCELLATION_LOOK_MS, look);
      };
      let stop = clock.schedule(CANCELLATION_LOOK_MS, look);
      answer.then(resolve, reject).finally(() => {
        stop();
      });
    });
  }

  /** A primary of this node. */
  async copy(key: ShardKey, store: CopyStore, input: SnapshotShardInput): Promise<unknown> {
    const { stored } = this.options;
    const native = {
      segmentSet: () => {
        const operations = [...store.operations];
        stored.copying(input.indexId, key.shard, { indexUuid: key.indexUuid, operations });
        return simulatedSet(operations, store.historyUuid);
      },
    };
    const shard = { office: 'primary', key, native, refreshInBackground: () => Promise.resolve(true) };
    const context = this.context() as unknown as ShardOperationContext;
    return snapshotShard.run(shard as unknown as OpenShard, input, context);
  }

  /** Before a shard is made: many are slow where there is a repository. */
  async beforeOpening(): Promise<void> {
    const { states, process, random } = this.options;
    if (states.current.repositories.size === 0 || random.below(2) === 0) return;
    await process.pause(random.below(OPENING_MS_MAX));
  }

  /** The operations that a shard has in a snapshot. */
  async restored(source: RestoreSource, shard: number): Promise<readonly Operation[]> {
    const { states } = this.options;
    const repository = this.repository(findRepository(states.current, source.repository));
    const { indexId, snapshotUuid } = source;
    const entry = (await repository.newestShard(indexId, shard))[snapshotUuid];
    await repository.segments(indexId, shard, snapshotUuid);
    const operations: Operation[] = [];
    for (const file of entry?.files ?? []) {
      const bytes = await repository.readFile(indexId, shard, file, 0, file.length);
      operations.push(...(JSON.parse(Buffer.from(bytes).toString()) as Operation[]));
    }
    return operations;
  }

  private repository({ uuid, name }: RepositoryRecord): Repository {
    const { process, random, stored, run } = this.options;
    const known = this.repositories.get(uuid);
    const store = new SimulatedBlobStore(stored.shared, process, random, run);
    const repository = known ?? new Repository(name, store, OPTIONS);
    this.repositories.set(uuid, repository);
    return repository;
  }
}

/** Operations in files by what they hold, as segments are. */
function simulatedSet(operations: readonly Operation[], historyUuid: string): object {
  const contents = new Map<string, Uint8Array>();
  const files: SegmentFile[] = [];
  for (let at = 0; at < operations.length; at += OPERATIONS_OF_FILE) {
    const bytes = Buffer.from(JSON.stringify(operations.slice(at, at + OPERATIONS_OF_FILE)));
    const uuid = createHash('sha256').update(historyUuid).update(bytes).digest('hex').slice(0, 32);
    const name = `_${files.length}.seg`;
    files.push({ name, uuid, length: bytes.length, checksum: bytes.length });
    contents.set(name, bytes);
  }
  return {
    files: () => files,
    descriptor: () => Buffer.from(String(operations.length)),
    historyUuid: () => historyUuid,
    readProved: (name: string, offset: number, length: number) =>
      Promise.resolve(contents.get(name)?.slice(offset, offset + length) ?? new Uint8Array(0)),
    // Nobody mounts them.
    partChecksums: () => new Uint8Array(4),
  };
}
