/** Which thread answers a request: the front where that is a small matter, else the owner of the shard that it is about where there is one. */
import { aliasTable } from '../../cluster/aliases/aliases.js';
import { isActive } from '../../cluster/copies/shard-copies.js';
import type { ClusterState, IndexMetadata, ShardCopy } from '../../cluster/state.js';
import { shardOf } from '../../native/bulk.js';
import { parseQueryString } from '../../rest/query-string.js';
import type { WireRequest, WireRoute } from '../../rest/wire.js';

/** Undefined: any worker, as for a shard that is on other nodes. Only a hint: a worker that does not own the shard asks the one that does. */
export function slotOfRequest(
  state: ClusterState,
  nodeId: string | undefined,
  request: WireRequest,
  route: WireRoute,
): number | undefined {
  const { index: name, id } = request.parts;
  const isOfShard = route.placement === 'shard' || (route.placement === 'near' && id !== undefined);
  if (!isOfShard || name === undefined) return undefined;
  const metadata = state.indices.get(name);
  const routing = state.routing.get(name);
  if (metadata === undefined || routing === undefined) return undefined;
  const { numberOfShards: shards, routingNumShards: routingShards } = metadata;
  if (shards === 1) return slotOf(routing.shards[0], nodeId);
  if (id === undefined) return undefined;
  const target = { shards, routingShards };
  return slotOf(routing.shards[shardOf(target, id, routingOf(request.query))], nodeId);
}

/** Larger bodies take their time to read. */
const NEAR_BODY_BYTES_MAX = 16 * 1024;
/** More shards take their time, though each of them alone does not. */
const NEAR_SHARDS_MAX = 4;

/** Whether the front may carry out the request itself: a small read of few shards that this node has copies of, after which nothing is left. */
export function isNear(
  state: ClusterState,
  nodeId: string | undefined,
  { parts, query, body }: WireRequest,
  { placement, pool }: WireRoute,
): boolean {
  if (placement !== 'near' || (body !== undefined && body.length > NEAR_BODY_BYTES_MAX)) return false;
  const { index: name } = parts;
  // What is not about an index is about the node; a search without one is about all indices, or a point in time.
  if (name === undefined) return pool !== 'search';
  if (query.includes('scroll')) return false;
  const index = indexNamed(state, name);
  const copies = index?.state === 'open' ? state.routing.get(index.name)?.shards : undefined;
  if (copies === undefined || copies.length > NEAR_SHARDS_MAX) return false;
  return copies.every((each) => slotOf(each, nodeId) !== undefined);
}

/** The index of the name, or the only one behind the alias. */
function indexNamed(state: ClusterState, name: string): IndexMetadata | undefined {
  const targets = state.indices.has(name) ? undefined : aliasTable(state).get(name);
  return targets?.length === 1 ? targets[0]?.index : state.indices.get(name);
}

/** The primary is first. */
function slotOf(copies: readonly ShardCopy[] | undefined, nodeId: string | undefined): number | undefined {
  return copies?.find((copy) => copy.nodeId === nodeId && isActive(copy))?.workerSlot ?? undefined;
}

function routingOf(query: string): string | undefined {
  if (!query.includes('routing=')) return undefined;
  try {
    return parseQueryString(query).get('routing');
  } catch {
    return undefined; // The worker refuses the request with its reason.
  }
}
