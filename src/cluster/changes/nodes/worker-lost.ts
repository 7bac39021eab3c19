/** A worker of a node crashed, and with it what it had open; the node itself is well. */
import { reroute } from '../../allocation/reroute.js';
import { isActive, unassignedInfo } from '../../copies/shard-copies.js';
import type { ClusterState, ShardCopy, UnassignedInfo } from '../../state.js';
import { StateDraft } from '../../state-draft.js';
import { nextState, type Change, type ChangeEnvironment } from '../change.js';
import { failCopies } from '../copies/fail-copy.js';
import { assignedCopy, isOutdated, type ShardReport } from '../copies/shard-reports.js';

export interface WorkerLostInput {
  readonly nodeId: string;
  readonly workerSlot: number;
  /** What the worker had, with the primary terms of the moment: what was opened anew since is not lost by a report that comes late. */
  readonly shards: readonly ShardReport[];
}

/**
 * The worker's copies of open indices are lost, all in the same moment: in-sync copies elsewhere take over, others come back
 * to the node at once, under the next primary term. The term must rise: a primary may have told its replicas of operations
 * that it had not written down, and others take their numbers now. A copy that served is not blamed, one that was being opened is:
 * opening it may be what ends its worker.
 */
export function workerLost(state: ClusterState, input: WorkerLostInput, environment: ChangeEnvironment): Change<null> {
  const draft = new StateDraft(state);
  for (const report of input.shards) {
    const found = assignedCopy(draft, report);
    if (found?.index.state !== 'open' || isOutdated(found.index, report)) continue;
    const info = lostInfo(found.copy, input, environment.nowMs);
    failCopies(draft, report.index, report.shard, [{ copy: found.copy, info }]);
  }
  if (!draft.hasChanged) return { state, result: null };
  const indices = draft.indices();
  const routing = reroute({ ...state, indices, routing: draft.routing() }, environment);
  return { state: nextState(state, { indices, routing }, environment), result: null };
}

/** What a worker has open, or is opening, in the words of {@link WorkerLostInput}. */
export function shardsOfWorker(state: ClusterState, nodeId: string, workerSlot: number): readonly ShardReport[] {
  const reports: ShardReport[] = [];
  for (const [name, { shards }] of state.routing) {
    const index = state.indices.get(name);
    for (const copy of index?.state === 'open' ? shards.flat() : []) {
      if (index === undefined || copy.nodeId !== nodeId || copy.workerSlot !== workerSlot) continue;
      const { shard, allocationId } = copy;
      const primaryTerm = index.primaryTerms[shard];
      const term = primaryTerm === undefined ? {} : { primaryTerm };
      reports.push({ index: name, indexUuid: index.uuid, shard, allocationId: allocationId ?? '', ...term });
    }
  }
  return reports;
}

function lostInfo(copy: ShardCopy, { nodeId, workerSlot }: WorkerLostInput, nowMs: number): UnassignedInfo {
  return {
    ...unassignedInfo('ALLOCATION_FAILED', nowMs, copy),
    failedAllocations: isActive(copy) ? 0 : (copy.unassigned?.failedAllocations ?? 0) + 1,
    details: `worker [${workerSlot}] of node [${nodeId}] crashed`,
  };
}
