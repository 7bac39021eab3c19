/** Nodes that are about to be stopped by their operator: what is to become of their shards. */
import { QuarryError } from '../../../base/errors.js';
import { reroute } from '../../allocation/reroute.js';
import type { ClusterState, NodeShutdown } from '../../state.js';
import { nextState, type Change, type ChangeEnvironment } from '../change.js';

export type PutShutdownInput = Omit<NodeShutdown, 'startedAtMs' | 'ephemeralId'>;

/** The node need not be in the cluster now. A node that is known to stop goes on with what is said of it now. */
export function putShutdown(
  state: ClusterState,
  input: PutShutdownInput,
  environment: ChangeEnvironment,
): Change<null> {
  const known = state.shutdowns.get(input.nodeId);
  const startedAtMs = known?.type === input.type ? known.startedAtMs : environment.nowMs;
  const ephemeralId = input.type === 'sigterm' ? state.nodes.get(input.nodeId)?.ephemeralId : undefined;
  const shutdown: NodeShutdown = { ...input, startedAtMs, ...(ephemeralId === undefined ? {} : { ephemeralId }) };
  if (known !== undefined && JSON.stringify(known) === JSON.stringify(shutdown)) return { state, result: null };
  return withShutdowns(state, new Map([...state.shutdowns, [input.nodeId, shutdown]]), environment);
}

export function deleteShutdown(
  state: ClusterState,
  { nodeId }: { readonly nodeId: string },
  environment: ChangeEnvironment,
): Change<null> {
  if (!state.shutdowns.has(nodeId)) {
    throw new QuarryError('resource_not_found_exception', `node [${nodeId}] is not currently shutting down`);
  }
  const shutdowns = new Map(state.shutdowns);
  shutdowns.delete(nodeId);
  return withShutdowns(state, shutdowns, environment);
}

function withShutdowns(
  state: ClusterState,
  shutdowns: ClusterState['shutdowns'],
  environment: ChangeEnvironment,
): Change<null> {
  const routing = reroute({ ...state, shutdowns }, environment);
  return { state: nextState(state, { shutdowns, routing }, environment), result: null };
}
