/**
 * Which copy of a shard goes to which worker of which node.
 *
 * Deciders say yes or no, and why; among the slots that all of them allow, the one with the fewest shards is taken. A
 * primary is placed before its replicas; two copies of a shard never share a node.
 */
import { decide } from './deciders.js';
import { numberSetting } from './settings/index-values.js';
import type { ChangeEnvironment } from './changes/change.js';
import { remainingDelayMs } from './delayed-allocation.js';
import { neverStarted } from './shard-copies.js';
import type { AllocationStatus, ClusterState, IndexMetadata, IndexRouting, NodeRecord, ShardCopy } from './state.js';

/** Gives unassigned copies a place where one is allowed; the same map when nothing could be placed. */
export function reroute(state: ClusterState, environment: ChangeEnvironment): ClusterState['routing'] {
  const { routing } = state;
  const load = slotLoad(state, routing);
  const changed = new Map<string, IndexRouting>();
  for (const index of inOrderOfPriority(state, routing)) {
    const table = routing.get(index.name);
    if (table === undefined || table.shards.every((copies) => copies.every(({ state }) => state !== 'UNASSIGNED')))
      continue;
    const shards = table.shards.map((copies) => allocateCopies(state, index, copies, load, environment));
    if (shards.some((copies, at) => copies !== table.shards[at])) changed.set(index.name, { ...table, shards });
  }
  return changed.size === 0 ? routing : new Map([...routing, ...changed]);
}

function allocateCopies(
  state: ClusterState,
  index: IndexMetadata,
  copies: readonly ShardCopy[],
  load: SlotLoad,
  environment: ChangeEnvironment,
): readonly ShardCopy[] {
  let current = copies;
  copies.forEach((copy, at) => {
    if (copy.state !== 'UNASSIGNED') return;
    const placed = allocateCopy(state, index, copy, current, load, environment);
    if (placed !== copy) current = current.with(at, placed);
  });
  return current;
}

function allocateCopy(
  state: ClusterState,
  index: IndexMetadata,
  copy: ShardCopy,
  copies: readonly ShardCopy[],
  load: SlotLoad,
  environment: ChangeEnvironment,
): ShardCopy {
  const { unassigned } = copy;
  const last = unassigned?.lastNodeId ?? null;
  const isExisting = copy.primary && !neverStarted(index, copy.shard);
  const isBack = last !== null && state.nodes.has(last);
  if (isExisting) {
    const id = unassigned?.lastAllocationId ?? null;
    const isInSync = id !== null && index.inSyncAllocationIds[copy.shard]?.includes(id) === true;
    if (!isBack || !isInSync) return withStatus(copy, 'no_valid_shard_copy');
  } else if (unassigned !== null && !isBack && remainingDelayMs(state, index, unassigned, environment.nowMs) > 0) {
    return withStatus(copy, 'delayed_allocation');
  }
  const nodes = [...state.nodes.values()].filter(({ id }) => !isExisting || id === last);
  const slot = bestSlot(state, index, copy, copies, nodes, load);
  if (slot === undefined) return withStatus(copy, 'deciders_no');
  load.add(slot);
  const allocationId = (isExisting ? unassigned?.lastAllocationId : undefined) ?? environment.newUuid();
  return { ...copy, ...slot, state: 'INITIALIZING', allocationId };
}

function withStatus(copy: ShardCopy, lastAllocationStatus: AllocationStatus): ShardCopy {
  const { unassigned } = copy;
  if (unassigned === null) return copy;
  const delayed = unassigned.delayed && lastAllocationStatus === 'delayed_allocation';
  if (unassigned.lastAllocationStatus === lastAllocationStatus && delayed === unassigned.delayed) return copy;
  return { ...copy, unassigned: { ...unassigned, lastAllocationStatus, delayed } };
}

interface Slot {
  readonly nodeId: string;
  readonly workerSlot: number;
}

function bestSlot(
  state: ClusterState,
  index: IndexMetadata,
  copy: ShardCopy,
  copies: readonly ShardCopy[],
  nodes: readonly NodeRecord[],
  load: SlotLoad,
): Slot | undefined {
  let best: Slot | undefined;
  for (const node of nodes) {
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
