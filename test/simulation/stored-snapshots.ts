/**
 * Sees everything that happens in the repository of a history. The invariants, after those of `witness.ts`:
 *
 * 11. Every snapshot that the newest root names can be restored: its blobs are there, and hold what its shards held at one time. Whatever
 *     is listed in a generation that a snapshot under way has made is there as well: the next one counts on it.
 * 12. A snapshot whose end was acknowledged is there until somebody asks for its deletion, and has every write that was
 *     acknowledged before it was asked for.
 * 13. A snapshot whose deletion was acknowledged is gone, and never comes back.
 * 14. When nothing is done any more, nothing lies there after a cleanup that no snapshot needs.
 * 15. When a deletion ends that stopped a snapshot, every run of a node that was there all the time has said that it writes nothing of
 *     the snapshot any more; and whoever has said so does not.
 */
import { STOP_MS_MAX } from '../../src/actions/snapshots/snapshots-stopped.js';
import { seededRandom } from '../../src/base/random.js';
import type { CreateOperation, DeleteOperation } from '../../src/cluster/snapshots/types.js';
import type { ClusterState } from '../../src/cluster/state.js';
import type { RepositoryRoot, ShardGeneration, SnapshotRecord, StoredFile } from '../../src/repositories/format.js';
import { Repository, segmentsBlob, shardBlob, shardFolder } from '../../src/repositories/repository.js';
import type { Operation } from './copy-store.js';
import { SimulatedBlobStore, type SharedBlobs } from './simulated-blobs.js';
import { SimulatedProcess } from './process.js';
import type { SimulatedTime } from './simulated-time.js';
import type { Acknowledged, Witness } from './witness.js';

export const OPTIONS = {
  // Packing is done by threads, which no seed decides about.
  isCompressed: false,
  chunkBytes: undefined,
  isReadOnly: false,
  snapshotBytesPerSecond: 0,
  restoreBytesPerSecond: 0,
  snapshotsMax: 500,
};
const LATENCY_MS_MAX = 3;

/** A deletion that stopped snapshots. */
interface WatchedDeletion {
  readonly sinceMs: number;
  /** Runs of nodes that were there in every state since. */
  present: ReadonlySet<string>;
  hasEnded: boolean;
}

interface CopiedSet {
  readonly indexUuid: string;
  readonly operations: readonly Operation[];
}

export class StoredSnapshots {
  readonly shared: SharedBlobs = {
    blobs: new Map(),
    latencyMsMax: LATENCY_MS_MAX,
    lostPercent: 0,
    onChange: () => {
      this.look();
    },
    onWrite: (run, name) => {
      this.checkMayWrite(run, name);
    },
  };
  /** For the names of blobs alone. */
  private readonly names: Repository;
  private readonly witness: Witness;
  /** By folder of a shard: what was copied from there, as text. */
  private readonly copied = new Map<string, Map<string, CopiedSet>>();
  private readonly done = new Set<string>();
  private readonly unwanted = new Set<string>();
  private readonly deleted = new Set<string>();
  private generation = -1;
  private readonly time: SimulatedTime;
  /** By run of a node: the snapshots of which it has said that it writes nothing any more. */
  private readonly quiet = new Map<string, Set<string>>();
  private readonly watched = new Map<string, WatchedDeletion>();

  constructor(witness: Witness, time: SimulatedTime) {
    this.witness = witness;
    this.time = time;
    const process = new SimulatedProcess(time, 1, () => 0);
    this.names = new Repository('r', new SimulatedBlobStore(this.shared, process, seededRandom(0), ''), OPTIONS);
    witness.expect((state) => {
      for (const operation of state.snapshotOperations.values()) {
        if (operation.kind === 'delete') this.watch(operation, state);
      }
      return undefined;
    });
  }

  /** A shard is about to be copied as it is now. */
  copying(indexId: string, shard: number, set: CopiedSet): void {
    const folder = shardFolder(indexId, shard);
    const sets = this.copied.get(folder) ?? new Map<string, CopiedSet>();
    this.copied.set(folder, sets);
    sets.set(JSON.stringify(set.operations), set);
  }

  /** `before`: by shard key, what was acknowledged when it was asked for. */
  acknowledged(uuid: string, before: ReadonlyMap<string, readonly Acknowledged[]>): void {
    this.done.add(uuid);
    this.checkLists();
    const root = this.root();
    if (root === undefined || this.unwanted.has(uuid)) return;
    for (const { id, snapshots, shards } of root.indices) {
      if (!(uuid in snapshots)) continue;
      for (const [shard, generation] of shards.entries()) {
        const files = this.generationAt(id, shard, generation)[uuid]?.files;
        if (files !== undefined) this.checkHolds(uuid, id, shard, files, before);
      }
    }
  }

  saidStopped(run: string, uuids: readonly string[]): void {
    const known = this.quiet.get(run) ?? new Set();
    this.quiet.set(run, known);
    for (const uuid of uuids) known.add(uuid);
  }

  askedToDelete(uuid: string): void {
    this.unwanted.add(uuid);
  }

  acknowledgedDeletion(uuid: string): void {
    this.deleted.add(uuid);
    this.checkLists();
  }

  /** Of the newest root. */
  snapshots(): RepositoryRoot['snapshots'] {
    return this.root()?.snapshots ?? [];
  }

  checkTidy(): void {
    const root = this.root();
    if (root === undefined) return;
    const needed = new Set(['latest', `root-${root.generation}`, `root-${root.generation - 1}`]);
    for (const { uuid } of root.snapshots) for (const kind of ['snapshot', 'metadata']) needed.add(`${kind}-${uuid}`);
    for (const { id, snapshots, shards } of root.indices) {
      for (const blob of Object.values(snapshots)) needed.add(`indices/${id}/${blob}`);
      for (const [shard, generation] of shards.entries()) {
        if (generation === '') continue;
        needed.add(shardBlob(id, shard, generation));
        for (const [uuid, { files }] of Object.entries(this.generationAt(id, shard, generation))) {
          needed.add(segmentsBlob(id, shard, uuid));
          for (const blob of this.allBlobsOf(id, shard, files)) needed.add(blob);
        }
      }
    }
    const useless = [...this.shared.blobs.keys()].filter((name) => !needed.has(name));
    if (useless.length > 0) this.witness.fault(14, `nobody needs ${useless.join(', ')}`);
  }

  private checkMayWrite(run: string, name: string): void {
    for (const uuid of this.quiet.get(run) ?? []) {
      if (name.includes(uuid))
        this.witness.fault(15, `${run} has stopped writing for snapshot ${uuid}, and brings ${name}`);
    }
  }

  private watch({ uuid, stopped = [], outcome }: DeleteOperation, { nodes }: ClusterState): void {
    if (stopped.length === 0) return;
    const here = new Set([...nodes.values()].map(({ ephemeralId }) => ephemeralId));
    const known = this.watched.get(uuid) ?? { sinceMs: this.time.nowMs, present: here, hasEnded: false };
    known.present = new Set([...known.present].filter((run) => here.has(run)));
    this.watched.set(uuid, known);
    if (outcome === undefined || known.hasEnded) return;
    known.hasEnded = true;
    const isLate = this.time.nowMs - known.sinceMs >= STOP_MS_MAX / 2;
    if (outcome.failure !== undefined || isLate) return;
    for (const run of known.present) {
      const missing = stopped.find((snapshot) => this.quiet.get(run)?.has(snapshot) !== true);
      if (missing === undefined) continue;
      this.witness.fault(15, `deletion ${uuid} has ended, and ${run} may still write for snapshot ${missing}`);
    }
  }

  private look(): void {
    const root = this.root();
    if (root === undefined) return;
    if (root.generation !== this.generation) this.checkLists();
    this.generation = root.generation;
    for (const { uuid } of root.snapshots) this.checkRestorable(root, uuid);
    for (const operation of this.witness.state.snapshotOperations.values()) {
      if (operation.kind === 'create' && operation.outcome === undefined) this.checkMade(operation);
    }
  }

  private checkMade({ uuid, indices, aborted }: CreateOperation): void {
    if (aborted === true) return;
    for (const { id, shards } of indices) {
      for (const [shard, { generation }] of shards.entries()) {
        const entries = Object.values(generation === undefined ? {} : this.generationAt(id, shard, generation));
        const blobs = entries.flatMap(({ files }) => this.allBlobsOf(id, shard, files));
        const missing = blobs.find((blob) => !this.shared.blobs.has(blob));
        if (missing !== undefined) this.witness.fault(11, `snapshot ${uuid}, which is being made, lacks ${missing}`);
      }
    }
  }

  private checkLists(): void {
    const there = new Set(this.snapshots().map(({ uuid }) => uuid));
    for (const uuid of this.done) {
      if (!there.has(uuid) && !this.unwanted.has(uuid)) this.witness.fault(12, `snapshot ${uuid} is not there`);
    }
    for (const uuid of this.deleted) {
      if (there.has(uuid)) this.witness.fault(13, `snapshot ${uuid}, which was deleted, is there`);
    }
  }

  private checkRestorable(root: RepositoryRoot, uuid: string): void {
    const record = this.value(`snapshot-${uuid}`) as SnapshotRecord | undefined;
    if (record === undefined || this.value(`metadata-${uuid}`) === undefined) {
      this.witness.fault(11, `snapshot ${uuid} lacks its record`);
      return;
    }
    const failed = new Set(record.failures.map(({ index, shard }) => `${index}/${shard}`));
    for (const { id, name, snapshots, shards } of root.indices) {
      const metadata = snapshots[uuid];
      if (metadata === undefined) continue;
      if (this.value(`indices/${id}/${metadata}`) === undefined) {
        this.witness.fault(11, `snapshot ${uuid} lacks the metadata of ${name}`);
      }
      for (const [shard, generation] of shards.entries()) {
        if (!failed.has(`${name}/${shard}`)) this.checkShard(uuid, id, shard, generation);
      }
    }
  }

  private checkShard(uuid: string, id: string, shard: number, generation: string): void {
    const where = `shard ${shard} of ${id} in snapshot ${uuid}`;
    const entry = this.generationAt(id, shard, generation)[uuid];
    if (entry === undefined) {
      this.witness.fault(11, `${where} is in no generation`);
      return;
    }
    const missing = this.allBlobsOf(id, shard, entry.files).find((blob) => !this.shared.blobs.has(blob));
    if (missing !== undefined) this.witness.fault(11, `${where} lacks ${missing}`);
    if (this.value(segmentsBlob(id, shard, uuid)) === undefined) this.witness.fault(11, `${where} lacks its segments`);
    if (missing === undefined && this.setOf(id, shard, entry.files) === undefined) {
      this.witness.fault(11, `${where} is nothing that was ever copied`);
    }
  }

  private checkHolds(
    uuid: string,
    id: string,
    shard: number,
    files: readonly StoredFile[],
    before: ReadonlyMap<string, readonly Acknowledged[]>,
  ): void {
    const set = this.setOf(id, shard, files);
    const writes = before.get(`${set?.indexUuid ?? ''}/${shard}`) ?? [];
    const lost = writes.find(({ seqNo, operation }) => set?.operations[seqNo]?.id !== operation.id);
    if (lost !== undefined) this.witness.fault(12, `snapshot ${uuid} lacks operation ${lost.operation.id}`);
  }

  private setOf(id: string, shard: number, files: readonly StoredFile[]): CopiedSet | undefined {
    const operations = files.flatMap((file) =>
      this.blobsOf(id, shard, [file]).flatMap(
        (blob) => JSON.parse(Buffer.from(this.shared.blobs.get(blob) ?? []).toString() || '[]') as Operation[],
      ),
    );
    return this.copied.get(shardFolder(id, shard))?.get(JSON.stringify(operations));
  }

  private blobsOf(id: string, shard: number, files: readonly StoredFile[]): readonly string[] {
    return files.flatMap((file) => this.names.blobsOf(file)).map((blob) => `${shardFolder(id, shard)}/${blob}`);
  }

  /** And of the checksums of their parts. */
  private allBlobsOf(id: string, shard: number, files: readonly StoredFile[]): readonly string[] {
    return files.flatMap((file) => this.names.allBlobsOf(file)).map((blob) => `${shardFolder(id, shard)}/${blob}`);
  }

  private root(): RepositoryRoot | undefined {
    const numbers = [...this.shared.blobs.keys()].flatMap((name) => {
      const number = /^root-(\d+)$/.exec(name)?.[1];
      return number === undefined ? [] : [Number(number)];
    });
    return numbers.length === 0 ? undefined : (this.value(`root-${Math.max(...numbers)}`) as RepositoryRoot);
  }

  private generationAt(id: string, shard: number, generation: string): ShardGeneration {
    return (this.value(shardBlob(id, shard, generation)) as ShardGeneration | undefined) ?? {};
  }

  private value(blob: string): unknown {
    const bytes = this.shared.blobs.get(blob);
    if (bytes === undefined) return undefined;
    const text = Buffer.from(bytes).toString();
    return (JSON.parse(text.slice(text.indexOf('\n') + 1)) as { readonly value: unknown }).value;
  }
}
