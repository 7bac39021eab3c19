/** Shutdowns of type `sigterm` are forgotten by themselves: with the node's next run, or some time after it should have ended. */
import type { ClusterState, NodeShutdown } from '../state.js';

/** The node gets a tenth of its grace period on top: clocks differ. */
const SAFETY_DIVISOR = 10;

type Known = Pick<ClusterState, 'nodes' | 'shutdowns'>;

/** Those that still count; the same map where all do. */
export function withoutExpired(state: Known, nowMs: number): ClusterState['shutdowns'] {
  const kept = [...state.shutdowns].filter(([, shutdown]) => !isExpired(state, shutdown, nowMs));
  return kept.length === state.shutdowns.size ? state.shutdowns : new Map(kept);
}

/** When the next one expires if nothing else happens; undefined when none will. */
export function nextForgottenAtMs(state: Known): number | undefined {
  const times = [...state.shutdowns.values()].flatMap((shutdown) =>
    shutdown.type === 'sigterm' && !state.nodes.has(shutdown.nodeId) ? [endsAtMs(shutdown)] : [],
  );
  return times.length === 0 ? undefined : Math.min(...times);
}

/** A node that overruns its grace period is emptied as long as it is there. */
function isExpired({ nodes }: Known, shutdown: NodeShutdown, nowMs: number): boolean {
  if (shutdown.type !== 'sigterm') return false;
  const node = nodes.get(shutdown.nodeId);
  if (node === undefined) return nowMs >= endsAtMs(shutdown);
  return shutdown.ephemeralId !== undefined && shutdown.ephemeralId !== node.ephemeralId;
}

function endsAtMs({ startedAtMs, gracePeriodMs = 0 }: NodeShutdown): number {
  return startedAtMs + gracePeriodMs + Math.floor(gracePeriodMs / SAFETY_DIVISOR);
}
