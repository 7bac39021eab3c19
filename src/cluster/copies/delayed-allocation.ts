/** Copies whose node left wait for it for a while before they are made anew elsewhere. */
import { numberSetting } from '../settings/index-values.js';
import { nextForgottenAtMs } from '../nodes/expired-shutdowns.js';
import { IndexTally, type PlacedIndex } from './index-tally.js';
import type { ClusterState, IndexMetadata, ShardCopy, UnassignedInfo } from '../state.js';

/** A node that is said to restart is waited for at least so long, unless something else was said. */
const RESTART_DELAY_MS = 5 * 60_000;

/** How long copies of the index that are unassigned for this reason wait, from the moment they became so. */
export function delayOf(
  state: Pick<ClusterState, 'shutdowns'>,
  index: IndexMetadata,
  info: Pick<UnassignedInfo, 'reason' | 'lastNodeId'>,
): number {
  const ofIndexMs = numberSetting(index, 'delayedNodeLeftTimeout');
  const shutdown = info.lastNodeId === null ? undefined : state.shutdowns.get(info.lastNodeId);
  if (info.reason !== 'NODE_RESTARTING' || shutdown?.type !== 'restart') return ofIndexMs;
  return Math.max(ofIndexMs, shutdown.allocationDelayMs ?? RESTART_DELAY_MS);
}

/**
 * What is left of the delay; 0 when the copy waits no more, or waits since a moment that lies so far ahead that the clock of the
 * master that noted it was wrong.
 */
export function remainingDelayMs(
  state: Pick<ClusterState, 'shutdowns'>,
  index: IndexMetadata,
  info: UnassignedInfo,
  nowMs: number,
): number {
  if (!info.delayed) return 0;
  const delayMs = delayOf(state, index, info);
  const leftMs = info.atMs + delayMs - nowMs;
  return leftMs > 2 * delayMs ? 0 : Math.max(0, leftMs);
}

/** When the first copy stops waiting, or a shutdown is to be forgotten, and a reroute is due; undefined when none is. */
export function nextRerouteAtMs(state: ClusterState): number | undefined {
  let next = nextForgottenAtMs(state);
  delayedTally.follow(state);
  for (const { index, table } of delayedIndices.values()) {
    for (const { unassigned } of table.shards.flat().filter(isDelayed)) {
      if (unassigned === null) continue;
      const atMs = unassigned.atMs + delayOf(state, index, unassigned);
      if (next === undefined || atMs < next) next = atMs;
    }
  }
  return next;
}

/** By name: those with copies that wait for their node. */
const delayedIndices = new Map<string, PlacedIndex>();

const delayedTally = new IndexTally((placed, sign) => {
  const { index, table } = placed;
  if (sign === -1) delayedIndices.delete(index.name);
  else if (index.state === 'open' && table.shards.flat().some(isDelayed)) delayedIndices.set(index.name, placed);
});

function isDelayed({ state, unassigned }: ShardCopy): boolean {
  return state === 'UNASSIGNED' && unassigned?.delayed === true;
}
