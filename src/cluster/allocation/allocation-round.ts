/**
 * One round of allocation: the state under change with counts by node, index and kind of recovery, so that no decision has
 * to walk the routing table.
 */
import { must } from '../../base/assert.js';
import type { ChangeEnvironment } from '../changes/change.js';
import { NO_CLUSTER_INFO, shardKey, type ClusterInfo } from '../disks/cluster-info.js';
import { holdsData } from '../nodes/data-nodes.js';
import { effectiveClusterSettings } from '../settings/effective-cluster-settings.js';
import { isActive, isRelocationTarget, primaryOf } from '../copies/shard-copies.js';
import { StateDraft } from '../state-draft.js';
import type { ClusterState, IndexMetadata, ShardCopy, UnassignedInfo } from '../state.js';
import { clusterFacts, indexFacts, type ClusterFacts, type IndexFacts } from './index-facts.js';
import { copySize, copyTally, type CopyTally } from './copy-tally.js';
import { NodeLoad, type CopySize } from './node-load.js';

/** A copy whose place is asked about, with everything that the answer may depend on. */
export interface Question {
  readonly round: AllocationRound;
  readonly index: IndexMetadata;
  readonly facts: IndexFacts;
  readonly copy: ShardCopy;
  /** All copies of its shard. */
  readonly copies: readonly ShardCopy[];
}

export interface RoundOptions {
  /** Decisions get their sentences. */
  readonly explains?: boolean;
  /** The user asks for it: what disables allocation does not hold. */
  readonly ignoresDisable?: boolean;
}

export class AllocationRound {
  readonly state: ClusterState;
  readonly info: ClusterInfo;
  readonly facts: ClusterFacts;
  readonly nowMs: number;
  readonly options: RoundOptions;
  readonly draft: StateDraft;
  /** Those that may hold copies, by id. */
  readonly nodes: readonly NodeLoad[];
  /** Bytes of the shard of mean size; 0 while no size is known. */
  readonly meanShardBytes: number;
  /** Of the shards that are written to; 0 when none is. */
  readonly meanWriteLoad: number;
  unassignedPrimaries = 0;
  unassignedReplicas = 0;
  /** Initializing copies that are not targets of moves. */
  inactivePrimaries = 0;
  inactiveReplicas = 0;
  relocating = 0;
  /** Nodes that can open, or begin, no primary more; that can take part in no recovery more as its target. */
  private nodesFullOfPrimaries = 0;
  private nodesFullOfRecoveries = 0;
  /** As it was when the round began; of this round alone. */
  readonly tally: CopyTally;
  private readonly newUuid: () => string;
  private readonly byId: ReadonlyMap<string, NodeLoad>;
  private readonly indexCounts = new Map<string, Int32Array>();

  constructor(state: ClusterState, environment: ChangeEnvironment, options: RoundOptions = {}) {
    this.state = state;
    this.info = environment.clusterInfo ?? NO_CLUSTER_INFO;
    this.facts = clusterFacts(effectiveClusterSettings(state));
    this.nowMs = environment.nowMs;
    this.options = options;
    this.newUuid = () => environment.newUuid();
    this.draft = new StateDraft(state);
    this.nodes = [...state.nodes.values()]
      .filter((node) => holdsData(node) && node.workerSlots > 0)
      .sort((left, right) => (left.id < right.id ? -1 : 1))
      .map((node, ordinal) => new NodeLoad(node, ordinal));
    this.byId = new Map(this.nodes.map((node) => [node.id, node]));
    this.meanShardBytes = meanOf(this.info.shardBytes);
    this.meanWriteLoad = meanOf(this.info.writeLoads);
    if (this.facts.initialPrimaries <= 0) this.nodesFullOfPrimaries = this.nodes.length;
    if (this.facts.incomingRecoveries <= 0) this.nodesFullOfRecoveries = this.nodes.length;
    this.tally = copyTally(state, this.info);
    this.countAll();
  }

  /** No node can open, or begin, another primary. */
  get isFullOfPrimaries(): boolean {
    return this.nodesFullOfPrimaries === this.nodes.length;
  }

  /** No node can be the target of another recovery from a primary. */
  get isFullOfRecoveries(): boolean {
    return this.nodesFullOfRecoveries === this.nodes.length;
  }

  node(id: string | null): NodeLoad | undefined {
    return id === null ? undefined : this.byId.get(id);
  }

  copies(index: string, shard: number): readonly ShardCopy[] {
    return this.draft.copies(index, shard);
  }

  question(index: IndexMetadata, copy: ShardCopy): Question {
    return { round: this, index, facts: indexFacts(index), copy, copies: this.copies(index.name, copy.shard) };
  }

  /** 0 while the size is not known. */
  bytesOf(index: IndexMetadata, shard: number): number {
    return this.info.shardBytes.size === 0 ? 0 : (this.info.shardBytes.get(shardKey(index.uuid, shard)) ?? 0);
  }

  sizeOf(index: IndexMetadata, copy: ShardCopy): CopySize {
    return copySize(this.info, index, copy);
  }

  /** By ordinal of the node: copies of the index, counted like the shards of a node. */
  countsOf(index: string): Int32Array {
    let counts = this.indexCounts.get(index);
    if (counts === undefined) {
      counts = new Int32Array(this.nodes.length);
      for (const copies of this.draft.shards(index)) {
        for (const { nodeId, state } of copies) {
          const node = state === 'RELOCATING' ? undefined : this.node(nodeId);
          if (node !== undefined) counts[node.ordinal] = (counts[node.ordinal] ?? 0) + 1;
        }
      }
      this.indexCounts.set(index, counts);
    }
    return counts;
  }

  /** The unassigned copy gets a place. Without an allocation id it is a new copy. */
  assign(index: IndexMetadata, copy: ShardCopy, node: NodeLoad, allocationId?: string): ShardCopy {
    const placed: ShardCopy = {
      ...copy,
      state: 'INITIALIZING',
      nodeId: node.id,
      workerSlot: node.freestSlot(),
      allocationId: allocationId ?? this.newUuid(),
    };
    this.count(index, copy, -1);
    this.draft.replaceCopy(index.name, copy, placed);
    this.count(index, placed, 1);
    return placed;
  }

  /** The started copy begins to move. */
  relocate(index: IndexMetadata, copy: ShardCopy, node: NodeLoad): ShardCopy {
    const source: ShardCopy = { ...copy, state: 'RELOCATING', relocatingNodeId: node.id };
    const target: ShardCopy = {
      shard: copy.shard,
      primary: copy.primary,
      state: 'INITIALIZING',
      nodeId: node.id,
      relocatingNodeId: copy.nodeId,
      workerSlot: node.freestSlot(),
      allocationId: this.newUuid(),
      unassigned: null,
    };
    this.count(index, copy, -1);
    const copies = this.copies(index.name, copy.shard).map((each) => (each === copy ? source : each));
    this.draft.putCopies(index.name, copy.shard, [...copies, target]);
    this.count(index, source, 1);
    this.count(index, target, 1);
    return source;
  }

  putUnassigned(index: IndexMetadata, copy: ShardCopy, unassigned: UnassignedInfo): void {
    this.draft.replaceCopy(index.name, copy, { ...copy, unassigned });
  }

  /** Nearly all copies of a large cluster are started ones: these were counted when they started. */
  private countAll(): void {
    for (const node of this.nodes) {
      const started = this.tally.started.get(node.id);
      if (started !== undefined) node.take(started);
    }
    this.unassignedPrimaries = this.tally.unassignedPrimaries;
    this.unassignedReplicas = this.tally.unassignedReplicas;
    for (const name of this.tally.unsettled) {
      const index = this.index(name);
      for (const copy of this.draft.shards(name).flat()) {
        if (copy.state === 'INITIALIZING' || copy.state === 'RELOCATING') this.count(index, copy, 1);
      }
    }
  }

  /** The copy is there, or with `sign` -1 is no more. Called while the draft holds the other copies of its shard. */
  private count(index: IndexMetadata, copy: ShardCopy, sign: 1 | -1): void {
    if (copy.state === 'UNASSIGNED') {
      if (copy.primary) this.unassignedPrimaries += sign;
      else this.unassignedReplicas += sign;
      return;
    }
    const node = this.node(copy.nodeId);
    if (node === undefined) return;
    const size = this.sizeOf(index, copy);
    const { bytes } = size;
    if (copy.state === 'RELOCATING') {
      this.relocating += sign;
      node.leavingBytes += sign * bytes;
      return;
    }
    node.count(copy.workerSlot, size, sign);
    const counts = this.indexCounts.get(index.name);
    if (counts !== undefined) counts[node.ordinal] = (counts[node.ordinal] ?? 0) + sign;
    if (copy.state === 'INITIALIZING') this.countRecovery(index, copy, node, bytes, sign);
  }

  private countRecovery(index: IndexMetadata, copy: ShardCopy, node: NodeLoad, bytes: number, sign: 1 | -1): void {
    const isTarget = isRelocationTarget(copy);
    if (!isTarget) {
      if (copy.primary) this.inactivePrimaries += sign;
      else this.inactiveReplicas += sign;
    }
    if (copy.primary && !isTarget) {
      this.nodesFullOfPrimaries += becomesFull(node.initialPrimaries, sign, this.facts.initialPrimaries);
      node.initialPrimaries += sign;
      return;
    }
    this.nodesFullOfRecoveries += becomesFull(node.incomingRecoveries, sign, this.facts.incomingRecoveries);
    node.incomingRecoveries += sign;
    node.incomingBytes += sign * bytes;
    const primary = primaryOf(this.copies(index.name, copy.shard));
    const source = primary !== undefined && isActive(primary) ? this.node(primary.nodeId) : undefined;
    if (source !== undefined) source.outgoingRecoveries += sign;
  }

  /** The index as it is in this round. */
  index(name: string): IndexMetadata {
    return must(this.draft.index(name), 'an index of the round');
  }
}

/** 1 when one more reaches the limit, -1 when one less leaves it. */
function becomesFull(count: number, sign: 1 | -1, limit: number): number {
  return Number(count + sign >= limit) - Number(count >= limit);
}

function meanOf(sizes: ReadonlyMap<string, number>): number {
  if (sizes.size === 0) return 0;
  let sum = 0;
  for (const bytes of sizes.values()) sum += bytes;
  return sum / sizes.size;
}
