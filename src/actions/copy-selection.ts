/** Which copy of a shard answers: pure functions of the cluster state, what was asked for, and what is known of the nodes. */
import { illegalArgument } from '../base/errors.js';
import { selectNodes } from '../cluster/nodes/node-filter.js';
import { isActive, isRelocationTarget, primaryOf } from '../cluster/copies/shard-copies.js';
import type { ClusterState, IndexMetadata, ShardCopy } from '../cluster/state.js';
import { murmur3 } from '../native/bulk.js';
import type { CopyPreference } from './copy-preference.js';
import type { CopyPlace, ShardKey } from './shard-client.js';

export interface SelectionContext {
  readonly state: ClusterState;
  /** The node that was asked. */
  readonly localNodeId: string;
  /** Of `CopyRanks`: the lowest is the best; undefined for nodes that were never asked. Without it all copies take turns. */
  readonly rankOf?: ((nodeId: string) => number | undefined) | undefined;
  /** Rises with each selection: nodes that nothing is known of take turns. */
  readonly turn: number;
}

/** A copy that somebody holds. */
export interface PlacedCopy extends CopyPlace {
  readonly allocationId: string;
  readonly primary: boolean;
}

/** Undefined while the copy is nowhere. */
export function placeOf({ nodeId, workerSlot }: ShardCopy): CopyPlace | undefined {
  return nodeId === null || workerSlot === null ? undefined : { nodeId, workerSlot };
}

/** The copies of the shard; none when the index is gone or another of its name took its place. */
export function copiesOf(state: ClusterState, key: ShardKey): readonly ShardCopy[] {
  const routing = state.routing.get(key.index);
  return routing?.index.uuid === key.indexUuid ? (routing.shards[key.shard] ?? []) : [];
}

/** Whether some copy of the index is on a node, open or about to be. */
export function hasPlacedCopy({ routing }: Pick<ClusterState, 'routing'>, { name }: IndexMetadata): boolean {
  return routing.get(name)?.shards.some((copies) => copies.some(({ nodeId }) => nodeId !== null)) === true;
}

/** Where the primary is or is about to be open; undefined while it has no place on a node of the cluster. */
export function primaryPlace(state: ClusterState, key: ShardKey): PlacedCopy | undefined {
  const primary = primaryOf(copiesOf(state, key));
  return primary === undefined ? undefined : placed(state, primary);
}

/**
 * The copies that may answer, the best first. A primary that is being opened comes last: whoever asks it waits.
 * Throws `illegal_argument_exception` where `_only_nodes` names none that has a copy.
 */
export function copiesInOrder(
  key: ShardKey,
  preference: CopyPreference,
  context: SelectionContext,
): readonly PlacedCopy[] {
  const all = copiesOf(context.state, key);
  const [only] = all;
  if (only !== undefined && all.length === 1 && preference.kind === 'adaptive' && isActive(only)) {
    const place = placed(context.state, only);
    return place === undefined ? [] : [place];
  }
  const active = all.filter(isActive).flatMap((copy) => placed(context.state, copy) ?? []);
  const opening = all.flatMap((copy) => {
    if (!copy.primary || copy.state !== 'INITIALIZING' || isRelocationTarget(copy)) return [];
    return placed(context.state, copy) ?? [];
  });
  const ordered = order(key, active, preference, context);
  return [...ordered, ...permitted(key, opening, preference, context, ordered.length === 0)];
}

function order(
  key: ShardKey,
  active: readonly PlacedCopy[],
  preference: CopyPreference,
  context: SelectionContext,
): readonly PlacedCopy[] {
  const ranked = (): readonly PlacedCopy[] => byRank(active, context);
  switch (preference.kind) {
    case 'same':
      return rotated(byAllocation(active), murmur3(preference.text) * 31 + key.shard);
    case 'prefer-nodes':
      return first(ranked(), ({ nodeId }) => preference.nodes.includes(nodeId));
    case 'local':
      return first(ranked(), ({ nodeId }) => nodeId === context.localNodeId);
    case 'primary-first':
      return first(ranked(), ({ primary }) => primary);
    case 'replica-first':
      return first(ranked(), ({ primary }) => !primary);
    case 'only-nodes':
    case 'only-local':
    case 'primary':
    case 'replica':
    case 'adaptive':
      return permitted(key, ranked(), preference, context, false);
  }
}

/** Those that the preference does not exclude. `mustBeSome`: it is wrong to exclude all. */
function permitted(
  key: ShardKey,
  copies: readonly PlacedCopy[],
  preference: CopyPreference,
  { state, localNodeId }: SelectionContext,
  mustBeSome: boolean,
): readonly PlacedCopy[] {
  switch (preference.kind) {
    case 'only-local':
      return copies.filter(({ nodeId }) => nodeId === localNodeId);
    case 'primary':
      return copies.filter(({ primary }) => primary);
    case 'replica':
      return copies.filter(({ primary }) => !primary);
    case 'only-nodes': {
      const chosen = new Set(selectNodes(state, preference.nodes, localNodeId).map(({ id }) => id));
      const found = copies.filter(({ nodeId }) => chosen.has(nodeId));
      if (found.length > 0 || !mustBeSome) return found;
      const criteria = preference.nodes.join(',');
      throw illegalArgument(`no data nodes with criteria [${criteria}] found for shard: [${key.index}][${key.shard}]`);
    }
    default:
      return copies;
  }
}

/** A node that nothing is known of is worth a try; of equals this node itself is the best. */
function byRank(copies: readonly PlacedCopy[], { rankOf, localNodeId, turn }: SelectionContext): readonly PlacedCopy[] {
  if (rankOf === undefined) return rotated(byAllocation(copies), turn);
  const ranked = rotated(copies, turn).map((copy) => ({ copy, rank: rankOf(copy.nodeId) ?? Number.NEGATIVE_INFINITY }));
  const isRemote = ({ nodeId }: PlacedCopy): number => (nodeId === localNodeId ? 0 : 1);
  ranked.sort((left, right) => {
    if (left.rank !== right.rank) return left.rank < right.rank ? -1 : 1;
    return isRemote(left.copy) - isRemote(right.copy);
  });
  return ranked.map(({ copy }) => copy);
}

function first(copies: readonly PlacedCopy[], isWanted: (copy: PlacedCopy) => boolean): readonly PlacedCopy[] {
  return [...copies.filter(isWanted), ...copies.filter((copy) => !isWanted(copy))];
}

function rotated<T>(list: readonly T[], by: number): readonly T[] {
  if (list.length < 2) return list;
  const start = ((by % list.length) + list.length) % list.length;
  return [...list.slice(start), ...list.slice(0, start)];
}

/** The order of the routing table changes when a replica is promoted, this one does not. */
function byAllocation(copies: readonly PlacedCopy[]): readonly PlacedCopy[] {
  return [...copies].sort((left, right) => (left.allocationId < right.allocationId ? -1 : 1));
}

function placed(state: ClusterState, copy: ShardCopy): PlacedCopy | undefined {
  const { nodeId, workerSlot, allocationId, primary } = copy;
  if (nodeId === null || workerSlot === null || !state.nodes.has(nodeId)) return undefined;
  return { nodeId, workerSlot, allocationId: allocationId ?? '', primary };
}
