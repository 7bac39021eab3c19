/** What workers report of the shards that they were given. */
import { allocate } from '../allocation.js';
import type { ClusterState, IndexMetadata, IndexRouting, ShardCopy } from '../state.js';
import { nextState, withIndices, withRouting, type Change, type ChangeEnvironment } from './change.js';

export interface ShardReport {
  readonly index: string;
  readonly indexUuid: string;
  readonly shard: number;
  readonly allocationId: string;
}

export interface ShardsStartedInput {
  readonly shards: readonly ShardReport[];
}

export interface ShardFailedInput {
  readonly shard: ShardReport;
  /** One sentence for `unassigned_info.details`. */
  readonly reason: string;
}

/** The copies became usable. Reports about copies that are assigned no more are ignored. */
export function shardsStarted(
  state: ClusterState,
  input: ShardsStartedInput,
  environment: ChangeEnvironment,
): Change<null> {
  let current = state;
  for (const report of input.shards) current = withStarted(current, report);
  if (current === state) return { state, result: null };
  const routing = allocate(current, current.routing, () => environment.newUuid());
  return { state: nextState(state, { indices: current.indices, routing }, environment), result: null };
}

function withStarted(state: ClusterState, report: ShardReport): ClusterState {
  const found = assignedCopy(state, report);
  if (found?.copy.state !== 'INITIALIZING') return state;
  const { index, table, copy } = found;
  const started: ShardCopy = { ...copy, state: 'STARTED', unassigned: null };
  const others = copy.primary ? [] : (index.inSyncAllocationIds[report.shard] ?? []);
  const inSync = index.inSyncAllocationIds.with(report.shard, [...new Set([...others, report.allocationId])]);
  return {
    ...state,
    indices: withIndices(state, [{ ...index, inSyncAllocationIds: inSync }]),
    routing: withRouting(state, [withCopy(table, copy, started)]),
  };
}

/**
 * The copy could not be opened, or failed later. It is tried again up to `index.allocation.max_retries` times, a primary
 * under the next primary term.
 */
export function shardFailed(
  state: ClusterState,
  input: ShardFailedInput,
  environment: ChangeEnvironment,
): Change<null> {
  const found = assignedCopy(state, input.shard);
  if (found === undefined) return { state, result: null };
  const { index, table, copy } = found;
  const failed: ShardCopy = {
    ...copy,
    state: 'UNASSIGNED',
    nodeId: null,
    workerSlot: null,
    allocationId: null,
    unassigned: {
      reason: 'ALLOCATION_FAILED',
      atMs: environment.nowMs,
      failedAllocations: (copy.unassigned?.failedAllocations ?? 0) + 1,
      details: input.reason,
      lastAllocationStatus: 'no_attempt',
    },
  };
  const { shard } = copy;
  const primaryTerms = copy.primary
    ? index.primaryTerms.with(shard, (index.primaryTerms[shard] ?? 1) + 1)
    : index.primaryTerms;
  const indices = withIndices(state, [{ ...index, primaryTerms, version: index.version + 1 }]);
  const unassigned = withRouting(state, [withCopy(table, copy, failed)]);
  const routing = allocate({ ...state, indices }, unassigned, () => environment.newUuid());
  return { state: nextState(state, { indices, routing }, environment), result: null };
}

interface AssignedCopy {
  readonly index: IndexMetadata;
  readonly table: IndexRouting;
  readonly copy: ShardCopy;
}

function assignedCopy(state: ClusterState, report: ShardReport): AssignedCopy | undefined {
  const index = state.indices.get(report.index);
  const table = state.routing.get(report.index);
  if (index?.uuid !== report.indexUuid || table === undefined) return undefined;
  const copy = table.shards[report.shard]?.find(({ allocationId }) => allocationId === report.allocationId);
  return copy === undefined || copy.state === 'UNASSIGNED' ? undefined : { index, table, copy };
}

function withCopy(table: IndexRouting, before: ShardCopy, after: ShardCopy): IndexRouting {
  const copies = table.shards[before.shard] ?? [];
  const replaced = copies.map((copy) => (copy === before ? after : copy));
  return { ...table, shards: table.shards.with(before.shard, replaced) };
}
