/** Copies whose node left wait for it for a while before they are made anew elsewhere. */
import { numberSetting } from './settings/index-values.js';
import type { ClusterState, IndexMetadata, UnassignedInfo } from './state.js';

/** How long copies of the index that are unassigned for this reason wait, from the moment they became so. */
export function delayOf(
  state: Pick<ClusterState, 'shutdowns'>,
  index: IndexMetadata,
  info: Pick<UnassignedInfo, 'reason' | 'lastNodeId'>,
): number {
  const shutdown = info.lastNodeId === null ? undefined : state.shutdowns.get(info.lastNodeId);
  if (info.reason === 'NODE_RESTARTING' && shutdown?.allocationDelayMs !== undefined) return shutdown.allocationDelayMs;
  return numberSetting(index, 'delayedNodeLeftTimeout');
}

/** What is left of the delay; 0 when the copy waits no more. */
export function remainingDelayMs(
  state: Pick<ClusterState, 'shutdowns'>,
  index: IndexMetadata,
  info: UnassignedInfo,
  nowMs: number,
): number {
  return info.delayed ? Math.max(0, info.atMs + delayOf(state, index, info) - nowMs) : 0;
}

/** When the first copy stops waiting, and a reroute is due; undefined when none waits. */
export function nextRerouteAtMs(state: ClusterState): number | undefined {
  let next: number | undefined;
  for (const [name, { shards }] of state.routing) {
    const index = state.indices.get(name);
    if (index?.state !== 'open') continue;
    for (const copies of shards) {
      for (const { unassigned, state: copyState } of copies) {
        if (copyState !== 'UNASSIGNED' || unassigned?.delayed !== true) continue;
        const atMs = unassigned.atMs + delayOf(state, index, unassigned);
        if (next === undefined || atMs < next) next = atMs;
      }
    }
  }
  return next;
}
