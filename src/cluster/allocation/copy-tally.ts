/**
 * Copies of shards of open indices, counted by node and by what is to be done about them. One tally serves all rounds of a thread, one after
 * the other: it follows the state that it is asked about.
 */
import { shardKey, type ClusterInfo } from '../disks/cluster-info.js';
import { IndexTally, type IndexTables, type PlacedIndex } from '../copies/index-tally.js';
import type { IndexMetadata, ShardCopy } from '../state.js';
import type { CopySize } from './node-load.js';
import { PendingIndices } from './pending-indices.js';

type Sizes = Pick<ClusterInfo, 'shardBytes' | 'writeLoads'>;

/** What started copies amount to on one node. */
export class StartedCopies {
  shards = 0;
  bytes = 0;
  writeLoad = 0;
  /** By worker slot. */
  readonly slots: number[] = [];

  add(slot: number | null, { bytes, writeLoad }: CopySize, sign: 1 | -1): void {
    this.shards += sign;
    this.bytes += sign * bytes;
    this.writeLoad += sign * writeLoad;
    if (slot !== null) this.slots[slot] = (this.slots[slot] ?? 0) + sign;
  }
}

export class CopyTally {
  readonly started = new Map<string, StartedCopies>();
  /** Names of indices with copies that initialize or move. */
  readonly unsettled = new Set<string>();
  /** Names of indices with unassigned copies that wait for their node. */
  readonly delayed = new Set<string>();
  readonly primaries = new PendingIndices();
  readonly replicas = new PendingIndices();
  unassignedPrimaries = 0;
  unassignedReplicas = 0;
  /** Unassigned primaries that no node may take, as the last try has it. */
  refusedPrimaries = 0;
  private readonly sizes: Sizes;
  private readonly tally = new IndexTally((placed, sign) => {
    this.count(placed, sign);
  });

  constructor(sizes: Sizes) {
    this.sizes = sizes;
  }

  follow(tables: IndexTables): void {
    this.tally.follow(tables);
  }

  isOf({ shardBytes, writeLoads }: Sizes): boolean {
    return this.sizes.shardBytes === shardBytes && this.sizes.writeLoads === writeLoads;
  }

  private count({ index, table }: PlacedIndex, sign: 1 | -1): void {
    if (index.state !== 'open') return;
    if (sign === -1) this.forget(index);
    for (const copies of table.shards) for (const copy of copies) this.countCopy(index, copy, sign);
  }

  private forget(index: IndexMetadata): void {
    this.unsettled.delete(index.name);
    this.delayed.delete(index.name);
    this.primaries.remove(index);
    this.replicas.remove(index);
  }

  private countCopy(index: IndexMetadata, copy: ShardCopy, sign: 1 | -1): void {
    if (copy.state === 'STARTED')
      this.startedOn(copy.nodeId ?? '').add(copy.workerSlot, this.sizeOf(index, copy), sign);
    else if (copy.state === 'UNASSIGNED') this.countUnassigned(index, copy, sign);
    else if (sign === 1) this.unsettled.add(index.name);
  }

  private countUnassigned(index: IndexMetadata, { primary, unassigned }: ShardCopy, sign: 1 | -1): void {
    if (primary) this.unassignedPrimaries += sign;
    else this.unassignedReplicas += sign;
    if (primary && unassigned?.lastAllocationStatus === 'deciders_no') this.refusedPrimaries += sign;
    if (sign === -1) return;
    (primary ? this.primaries : this.replicas).add(index);
    if (unassigned?.delayed === true) this.delayed.add(index.name);
  }

  private startedOn(nodeId: string): StartedCopies {
    let copies = this.started.get(nodeId);
    if (copies === undefined) {
      copies = new StartedCopies();
      this.started.set(nodeId, copies);
    }
    return copies;
  }

  private sizeOf(index: IndexMetadata, copy: ShardCopy): CopySize {
    return copySize(this.sizes, index, copy);
  }
}

const NO_SIZE: CopySize = { bytes: 0, writeLoad: 0 };

/** Replicas take over segments that the primary makes: only primaries count as written to. 0 is also what is not known. */
export function copySize(
  { shardBytes, writeLoads }: Sizes,
  { uuid }: IndexMetadata,
  { shard, primary }: ShardCopy,
): CopySize {
  if (shardBytes.size + writeLoads.size === 0) return NO_SIZE;
  const key = shardKey(uuid, shard);
  return { bytes: shardBytes.get(key) ?? 0, writeLoad: primary ? (writeLoads.get(key) ?? 0) : 0 };
}

let latest: CopyTally | undefined;

/** Holds until this is called again. */
export function copyTally(tables: IndexTables, sizes: Sizes): CopyTally {
  if (latest?.isOf(sizes) !== true) latest = new CopyTally(sizes);
  latest.follow(tables);
  return latest;
}
