/** A deletion waits until nobody writes any more for the snapshots that it stopped: what came later would stay in the repository. */
import { asQuarryError } from '../../base/error-wire.js';
import { named } from '../../base/logger.js';
import type { ActionContext } from '../context.js';
import type { CopyPlace } from '../shard-client.js';

/** A node that is gone is not waited for, and one whose store of blobs hangs no longer than this. */
export const STOP_MS_MAX = 120_000;
const RETRY_MS = 500;

interface AskedWorker {
  readonly place: CopyPlace;
  /** Of the run of its node. */
  readonly ephemeralId: string;
}

/** Asks every worker: also one that a former master, or a former primary, had write. */
export async function whenSnapshotsStopped(context: ActionContext, snapshotUuids: readonly string[]): Promise<void> {
  if (snapshotUuids.length === 0) return;
  const { nodes } = context.clusterState();
  const untilMs = context.clock.monotonicMs() + STOP_MS_MAX;
  const workers = [...nodes.values()].flatMap(({ id: nodeId, ephemeralId, workerSlots }) =>
    Array.from({ length: workerSlots }, (_, workerSlot): AskedWorker => ({
      place: { nodeId, workerSlot },
      ephemeralId,
    })),
  );
  await Promise.all(workers.map((worker) => whenStopped(context, worker, snapshotUuids, untilMs)));
}

async function whenStopped(
  context: ActionContext,
  { place, ephemeralId }: AskedWorker,
  snapshotUuids: readonly string[],
  untilMs: number,
): Promise<void> {
  const { clock, cancellation } = context;
  for (;;) {
    const { nodes, version: stateVersion } = context.clusterState();
    if (nodes.get(place.nodeId)?.ephemeralId !== ephemeralId) return;
    const leftMs = untilMs - clock.monotonicMs();
    if (leftMs <= 0) {
      tell(context, place, `it still writes after ${STOP_MS_MAX} ms`);
      return;
    }
    try {
      const input = { snapshotUuids, stateVersion, waitMs: leftMs };
      await context.nodes.onWorker(place, 'snapshots-stopped', input, leftMs);
      return;
    } catch (error) {
      cancellation.throwIfCancelled();
      const { type, message } = asQuarryError(error);
      // A node of an earlier version.
      if (type === 'action_not_found_transport_exception') {
        tell(context, place, message);
        return;
      }
    }
    // It may be restarting, or not be missed yet.
    const hasLeft = (state: ReturnType<ActionContext['clusterState']>): boolean =>
      state.nodes.get(place.nodeId)?.ephemeralId !== ephemeralId;
    await context.whenState(hasLeft, RETRY_MS, cancellation);
  }
}

function tell({ logger }: ActionContext, { nodeId, workerSlot }: CopyPlace, reason: string): void {
  named(logger, 'snapshots').log('warn', 'a worker was not waited for that may write for a stopped snapshot', {
    node: nodeId,
    worker: workerSlot,
    reason,
  });
}
