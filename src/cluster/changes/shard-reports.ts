/** What workers report of the shards that they were given. */
import { allocate } from '../allocation.js';
import { numberSetting } from '../settings/index-values.js';
import type { ClusterState, IndexMetadata, IndexRouting, RecoveredInfo, ShardCopy } from '../state.js';
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

/** A copy that was started for so long has no former failures. */
const STEADY_MS = 60_000;

/** The copies became usable. Reports about copies that are assigned no more are ignored. */
export function shardsStarted(
  state: ClusterState,
  input: ShardsStartedInput,
  environment: ChangeEnvironment,
): Change<null> {
  let current = state;
  for (const report of input.shards) current = withStarted(current, report, environment.nowMs);
  if (current === state) return { state, result: null };
  const routing = allocate(current, current.routing, () => environment.newUuid());
  return { state: nextState(state, { indices: current.indices, routing }, environment), result: null };
}

function withStarted(state: ClusterState, report: ShardReport, nowMs: number): ClusterState {
  const found = assignedCopy(state, report);
  if (found?.copy.state !== 'INITIALIZING') return state;
  const { index, table, copy } = found;
  const failedAllocations = copy.unassigned?.failedAllocations ?? 0;
  const started: ShardCopy = {
    ...copy,
    state: 'STARTED',
    unassigned: null,
    ...(failedAllocations === 0 ? {} : { recovered: { failedAllocations, startedAtMs: nowMs } }),
  };
  const others = copy.primary ? [] : (index.inSyncAllocationIds[report.shard] ?? []);
  const inSync = index.inSyncAllocationIds.with(report.shard, [...new Set([...others, report.allocationId])]);
  return {
    ...state,
    indices: withIndices(state, [{ ...index, inSyncAllocationIds: inSync }]),
    routing: withRouting(state, [withCopy(table, copy, started)]),
  };
}

/**
 * The copy could not be opened, or failed later; it is tried again, a primary under the next primary term. One that cannot
 * be opened is given up after `index.allocation.max_retries` times. One that opens well and fails at its work has its
 * failures counted on as well, so that its tries become rarer, but is not given up: a full disk may have room again.
 */
export function shardFailed(
  state: ClusterState,
  input: ShardFailedInput,
  environment: ChangeEnvironment,
): Change<null> {
  const found = assignedCopy(state, input.shard);
  if (found === undefined) return { state, result: null };
  const { index, table, copy } = found;
  const { recovered, ...former } = copy;
  const failed: ShardCopy = {
    ...former,
    state: 'UNASSIGNED',
    nodeId: null,
    workerSlot: null,
    allocationId: null,
    unassigned: {
      reason: 'ALLOCATION_FAILED',
      atMs: environment.nowMs,
      failedAllocations: failuresWith(index, copy, recovered, environment.nowMs),
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

/** Failures in a row, with this one. */
function failuresWith(
  index: IndexMetadata,
  copy: ShardCopy,
  recovered: RecoveredInfo | undefined,
  nowMs: number,
): number {
  if (copy.state !== 'STARTED') return (copy.unassigned?.failedAllocations ?? 0) + 1;
  const isSoon = recovered !== undefined && nowMs - recovered.startedAtMs < STEADY_MS;
  const failures = isSoon ? recovered.failedAllocations + 1 : 1;
  return Math.min(failures, Math.max(1, numberSetting(index, 'allocationMaxRetries') - 1));
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
