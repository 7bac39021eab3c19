/**
 * Which copy of a shard goes to which worker of which node.
 *
 * Deciders say yes or no, and why; among the slots that all of them allow, the one with the fewest shards is taken. A
 * primary is placed before its replicas; two copies of a shard never share a node.
 */
import { decide } from './deciders.js';
import { numberSetting } from './settings/index-values.js';
import type {
  ClusterState,
  IndexMetadata,
  IndexRouting,
  ShardCopy,
  UnassignedInfo,
  UnassignedReason,
} from './state.js';

/** Gives unassigned copies a place where one is allowed; the same map when nothing could be placed. */
export function allocate(
  state: ClusterState,
  routing: ClusterState['routing'],
  newAllocationId: () => string,
): ClusterState['routing'] {
  const load = slotLoad(state, routing);
  const changed = new Map<string, IndexRouting>();
  for (const index of inOrderOfPriority(state, routing)) {
    const table = routing.get(index.name);
    if (table === undefined || table.shards.every((copies) => copies.every(({ state }) => state !== 'UNASSIGNED')))
      continue;
    const shards = table.shards.map((copies) => allocateCopies(state, index, copies, load, newAllocationId));
    if (shards.some((copies, at) => copies !== table.shards[at])) changed.set(index.name, { ...table, shards });
  }
  return changed.size === 0 ? routing : new Map([...routing, ...changed]);
}

function allocateCopies(
  state: ClusterState,
  index: IndexMetadata,
  copies: readonly ShardCopy[],
  load: SlotLoad,
  newAllocationId: () => string,
): readonly ShardCopy[] {
  let current = copies;
  copies.forEach((copy, at) => {
    if (copy.state !== 'UNASSIGNED') return;
    const slot = bestSlot(state, index, copy, current, load);
    const placed = slot === undefined ? notPlaced(copy) : placeOn(copy, slot, newAllocationId);
    if (slot !== undefined) load.add(slot);
    if (placed !== copy) current = current.with(at, placed);
  });
  return current;
}

interface Slot {
  readonly nodeId: string;
  readonly workerSlot: number;
}

function placeOn(copy: ShardCopy, slot: Slot, newAllocationId: () => string): ShardCopy {
  return { ...copy, ...slot, state: 'INITIALIZING', allocationId: copy.allocationId ?? newAllocationId() };
}

function notPlaced(copy: ShardCopy): ShardCopy {
  if (copy.unassigned === null || copy.unassigned.lastAllocationStatus !== 'no_attempt') return copy;
  return {
    ...copy,
    unassigned: { ...copy.unassigned, lastAllocationStatus: copy.primary ? 'deciders_no' : 'no_attempt' },
  };
}

function bestSlot(
  state: ClusterState,
  index: IndexMetadata,
  copy: ShardCopy,
  copies: readonly ShardCopy[],
  load: SlotLoad,
): Slot | undefined {
  let best: Slot | undefined;
  for (const node of state.nodes.values()) {
    if (!decide(state, index, copy, copies, node).every(({ allowed }) => allowed)) continue;
    for (let workerSlot = 0; workerSlot < node.workerSlots; workerSlot++) {
      const slot = { nodeId: node.id, workerSlot };
      if (best === undefined || load.of(slot) < load.of(best)) best = slot;
    }
  }
  return best;
}

/** How many shards each worker slot owns. */
class SlotLoad {
  readonly #counts = new Map<string, number>();

  of(slot: Slot): number {
    return this.#counts.get(`${slot.nodeId}/${slot.workerSlot}`) ?? 0;
  }

  add(slot: Slot): void {
    this.#counts.set(`${slot.nodeId}/${slot.workerSlot}`, this.of(slot) + 1);
  }
}

function slotLoad(state: ClusterState, routing: ClusterState['routing']): SlotLoad {
  const load = new SlotLoad();
  for (const [name, table] of routing) {
    if (state.indices.get(name)?.state !== 'open') continue;
    for (const { nodeId, workerSlot } of table.shards.flat()) {
      if (nodeId !== null && workerSlot !== null) load.add({ nodeId, workerSlot });
    }
  }
  return load;
}

/** Higher `index.priority` first, then newer indices. */
function inOrderOfPriority(state: ClusterState, routing: ClusterState['routing']): readonly IndexMetadata[] {
  return [...state.indices.values()]
    .filter(({ name, state: indexState }) => indexState === 'open' && routing.has(name))
    .sort((left, right) => {
      const priority = numberSetting(right, 'priority') - numberSetting(left, 'priority');
      return priority || right.creationDateMs - left.creationDateMs || (left.name < right.name ? -1 : 1);
    });
}

export function unassignedInfo(reason: UnassignedReason, atMs: number): UnassignedInfo {
  return { reason, atMs, failedAllocations: 0, lastAllocationStatus: 'no_attempt' };
}

export function unassignedCopy(shard: number, primary: boolean, unassigned: UnassignedInfo): ShardCopy {
  return { shard, primary, state: 'UNASSIGNED', nodeId: null, workerSlot: null, allocationId: null, unassigned };
}

/** All copies of an index, unassigned. */
export function unassignedRouting(index: IndexMetadata, reason: UnassignedReason, atMs: number): IndexRouting {
  const info = unassignedInfo(reason, atMs);
  const shards = Array.from({ length: index.numberOfShards }, (_, shard) =>
    Array.from({ length: 1 + index.numberOfReplicas }, (_, copy) => unassignedCopy(shard, copy === 0, info)),
  );
  return { index: { name: index.name, uuid: index.uuid }, shards };
}
