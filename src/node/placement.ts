/** Which worker answers a request: the owner of the shard that it is about where there is one, so that most stay in one thread. */
import { isActive } from '../cluster/shard-copies.js';
import type { ClusterState, ShardCopy } from '../cluster/state.js';
import { shardOf } from '../native/bulk.js';
import { parseQueryString } from '../rest/query-string.js';
import type { WireRequest, WireRoute } from '../rest/wire.js';

/** Undefined: any worker, as for a shard that is on other nodes. Only a hint: a worker that does not own the shard asks the one that does. */
export function slotOfRequest(
  state: ClusterState,
  nodeId: string | undefined,
  request: WireRequest,
  route: WireRoute,
): number | undefined {
  const { index: name, id } = request.parts;
  if (route.placement === 'any' || name === undefined) return undefined;
  const metadata = state.indices.get(name);
  const routing = state.routing.get(name);
  if (metadata === undefined || routing === undefined) return undefined;
  const { numberOfShards: shards, routingNumShards: routingShards } = metadata;
  if (shards === 1) return slotOf(routing.shards[0], nodeId);
  if (id === undefined) return undefined;
  const target = { shards, routingShards };
  return slotOf(routing.shards[shardOf(target, id, routingOf(request.query))], nodeId);
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
