/** Nodes join and leave, and masters are elected. */
import { reroute } from '../../allocation/reroute.js';
import { adaptAutoExpandedReplicas } from '../indices/replica-count.js';
import { delayOf } from '../../copies/delayed-allocation.js';
import { withoutExpired } from '../../nodes/expired-shutdowns.js';
import { isRelocationTarget, otherEndOfMove, unassignedInfo } from '../../copies/shard-copies.js';
import type { FlatSettings } from '../../settings/flat-settings.js';
import type { ClusterState, IndexMetadata, NodeRecord, ShardCopy, UnassignedInfo } from '../../state.js';
import { StateDraft } from '../../state-draft.js';
import { nextState, type Change, type ChangeEnvironment } from '../change.js';
import { failCopies } from '../copies/fail-copy.js';

export interface NodesChangedInput {
  /** A node that is known by another `ephemeralId` has restarted; one that is known by the same is only described anew. */
  readonly joined?: readonly NodeRecord[];
  /** Ids. */
  readonly left?: readonly string[];
  /** Why they left: `disconnected` where absent. */
  readonly reason?: string;
}

export interface MasterElectedInput {
  readonly nodeId: string;
  readonly term: number;
  /** Settings of the cluster that the node was configured with. */
  readonly settings?: FlatSettings;
}

/**
 * What leaves or restarts loses its copies of shards, all in the same moment: in-sync copies elsewhere take over, and a shard
 * that lost all of them keeps its in-sync set. So nodes that restarted together are best told of together: a replica that is
 * reported lost while its primary is believed alive is out of sync, and must recover.
 */
export function nodesChanged(
  state: ClusterState,
  input: NodesChangedInput,
  environment: ChangeEnvironment,
): Change<null> {
  const joined = new Map((input.joined ?? []).map((node) => [node.id, node]));
  const gone = new Set((input.left ?? []).filter((id) => state.nodes.has(id) && !joined.has(id)));
  const restarted = new Set([...joined.values()].filter((node) => hasRestarted(state, node)).map(({ id }) => id));
  const nodes = new Map([...state.nodes, ...joined].filter(([id]) => !gone.has(id)));
  if (gone.size === 0 && [...joined].every(([id, node]) => sameNode(state.nodes.get(id), node))) {
    return { state, result: null };
  }
  const masterNodeId = gone.has(state.masterNodeId) ? '' : state.masterNodeId;
  const draft = new StateDraft({ ...state, nodes, masterNodeId });
  const lost = { state, gone, restarted, reason: input.reason ?? 'disconnected', nowMs: environment.nowMs };
  for (const [name, { shards }] of state.routing) {
    shards.forEach((_, shard) => loseCopies(draft, name, shard, lost));
  }
  if ([...joined.keys()].some((id) => restarted.has(id) || !state.nodes.has(id))) forgetFailures(draft);
  restoreClosedIndices(draft, joined);
  adaptAutoExpandedReplicas(draft, environment.nowMs);
  const indices = draft.indices();
  const shutdowns = withoutExpired(draft.base, environment.nowMs);
  const routing = reroute({ ...draft.base, indices, shutdowns, routing: draft.routing() }, environment);
  return { state: nextState(state, { nodes, masterNodeId, indices, shutdowns, routing }, environment), result: null };
}

export function nodeJoined(
  state: ClusterState,
  input: { readonly node: NodeRecord },
  environment: ChangeEnvironment,
): Change<null> {
  return nodesChanged(state, { joined: [input.node] }, environment);
}

export function nodeLeft(
  state: ClusterState,
  input: { readonly nodeId: string; readonly reason?: string },
  environment: ChangeEnvironment,
): Change<null> {
  const { nodeId, ...rest } = input;
  return nodesChanged(state, { left: [nodeId], ...rest }, environment);
}

/** The node leads the cluster in that term; a term that is over changes nothing. */
export function masterElected(
  state: ClusterState,
  input: MasterElectedInput,
  environment: ChangeEnvironment,
): Change<null> {
  const { nodeId: masterNodeId, term, settings: configured = new Map() } = input;
  const isKnown = state.masterNodeId === masterNodeId && state.term === term;
  if (term < state.term || isKnown) return { state, result: null };
  const clusterSettings = { ...state.clusterSettings, configured };
  return { state: nextState(state, { masterNodeId, term, clusterSettings }, environment), result: null };
}

function hasRestarted(state: ClusterState, node: NodeRecord): boolean {
  const known = state.nodes.get(node.id);
  return known !== undefined && known.ephemeralId !== node.ephemeralId;
}

function sameNode(known: NodeRecord | undefined, node: NodeRecord): boolean {
  return known !== undefined && JSON.stringify(known) === JSON.stringify(node);
}

interface LostNodes {
  /** Before the change. */
  readonly state: ClusterState;
  readonly gone: ReadonlySet<string>;
  readonly restarted: ReadonlySet<string>;
  readonly reason: string;
  readonly nowMs: number;
}

function loseCopies(draft: StateDraft, name: string, shard: number, nodes: LostNodes): void {
  const index = draft.index(name);
  if (index === undefined) return;
  const isLost = ({ nodeId }: ShardCopy): boolean =>
    nodeId !== null && (nodes.gone.has(nodeId) || (index.state === 'open' && nodes.restarted.has(nodeId)));
  const lost = draft.copies(name, shard).filter(isLost);
  failCopies(
    draft,
    name,
    shard,
    lost.map((copy) => ({ copy, info: lostInfo(index, copy, nodes) })),
  );
}

function lostInfo(
  index: IndexMetadata,
  copy: ShardCopy,
  { state, gone, restarted, reason, nowMs }: LostNodes,
): UnassignedInfo {
  const nodeId = copy.nodeId ?? '';
  const survivors = [...state.nodes.keys()].some((id) => !gone.has(id) && !restarted.has(id));
  if (!survivors && restarted.has(nodeId)) return unassignedInfo('CLUSTER_RECOVERED', nowMs, copy);
  const isRestart = state.shutdowns.get(nodeId)?.type === 'restart';
  const info = unassignedInfo(isRestart ? 'NODE_RESTARTING' : 'NODE_LEFT', nowMs, copy);
  const delayed = gone.has(nodeId) && delayOf(state, index, info) > 0;
  return { ...info, delayed, details: `node_left [${nodeId}]: ${restarted.has(nodeId) ? 'restarted' : reason}` };
}

/** A node that is new, or has restarted, may be able to do what failed before: shards that were given up are tried again. */
function forgetFailures(draft: StateDraft): void {
  for (const name of draft.base.indices.keys()) {
    draft.shards(name).forEach((copies, shard) => {
      if (copies.every(({ state, unassigned }) => state !== 'UNASSIGNED' || (unassigned?.failedAllocations ?? 0) === 0))
        return;
      const forgiven = copies.map((copy) =>
        copy.state !== 'UNASSIGNED' || copy.unassigned === null
          ? copy
          : { ...copy, unassigned: { ...copy.unassigned, failedAllocations: 0, failedNodeIds: [] } },
      );
      draft.putCopies(name, shard, forgiven);
    });
  }
}

/** Closed shards hold no open files: with its node a copy is back in its place. */
function restoreClosedIndices(draft: StateDraft, joined: ReadonlyMap<string, NodeRecord>): void {
  if (joined.size === 0) return;
  for (const [name, index] of draft.base.indices) {
    if (index.state !== 'close') continue;
    draft.shards(name).forEach((copies, shard) => {
      // One after the other: two may remember the same place.
      const restored = [...copies];
      for (const [at, copy] of copies.entries()) restored[at] = restoredCopy(index, restored, copy, joined);
      if (restored.some((copy, at) => copy !== copies[at])) draft.putCopies(name, shard, restored);
    });
  }
}

function restoredCopy(
  index: IndexMetadata,
  copies: readonly ShardCopy[],
  copy: ShardCopy,
  joined: ReadonlyMap<string, NodeRecord>,
): ShardCopy {
  const node = joined.get(copy.nodeId ?? copy.unassigned?.lastNodeId ?? '');
  if (node === undefined) return copy;
  const workerSlot = (copy.workerSlot ?? copy.shard) % Math.max(1, node.workerSlots);
  if (copy.state !== 'UNASSIGNED') return workerSlot === copy.workerSlot ? copy : { ...copy, workerSlot };
  const allocationId = copy.unassigned?.lastAllocationId ?? null;
  const isTaken = copies.some(({ nodeId }) => nodeId === node.id);
  const isInSync = allocationId !== null && index.inSyncAllocationIds[copy.shard]?.includes(allocationId) === true;
  if (isTaken || !isInSync) return copy;
  return { ...copy, state: 'STARTED', nodeId: node.id, workerSlot, allocationId, unassigned: null };
}

/** Ends a move from or to anywhere, before an index is closed: the copies stay where they are. */
export function withoutMoves(copies: readonly ShardCopy[]): readonly ShardCopy[] {
  if (copies.every((copy) => copy.relocatingNodeId === null)) return copies;
  return copies
    .filter((copy) => !(isRelocationTarget(copy) && otherEndOfMove(copies, copy) !== undefined))
    .map((copy) => (copy.relocatingNodeId === null ? copy : { ...copy, state: 'STARTED', relocatingNodeId: null }));
}
