/** What workers report of the shards that they were given. */
import { QuarryError } from '../../../base/errors.js';
import { reroute } from '../../allocation/reroute.js';
import { numberSetting } from '../../settings/index-values.js';
import {
  holdsPrimaryOffice,
  isActive,
  isRelocationTarget,
  otherEndOfMove,
  unassignedInfo,
} from '../../copies/shard-copies.js';
import type { ClusterState, IndexMetadata, RecoveredInfo, ShardCopy, UnassignedInfo } from '../../state.js';
import { StateDraft } from '../../state-draft.js';
import { nextState, type Change, type ChangeEnvironment } from '../change.js';
import { failCopies } from './fail-copy.js';
import { addInSync, raisePrimaryTerm, removeInSync } from './in-sync.js';

export interface ShardReport {
  readonly index: string;
  readonly indexUuid: string;
  readonly shard: number;
  readonly allocationId: string;
  /** Term of the primary that speaks, or that the copy recovered from. A primary that is none any more is not heard. */
  readonly primaryTerm?: number;
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

/**
 * The copies became usable: they join the in-sync set of their shard. The target of a move takes the place of its source;
 * that of a primary becomes the primary, under the next primary term. So a primary must ask for this only when it waits for
 * the copy's acknowledgements already. Reports about copies that are assigned no more are ignored.
 */
export function shardsStarted(
  state: ClusterState,
  input: ShardsStartedInput,
  environment: ChangeEnvironment,
): Change<null> {
  const draft = new StateDraft(state);
  for (const report of input.shards) startCopy(draft, report, environment.nowMs);
  if (!draft.hasChanged) return { state, result: null };
  const indices = draft.indices();
  const routing = reroute({ ...state, indices, routing: draft.routing() }, environment);
  return { state: nextState(state, { indices, routing }, environment), result: null };
}

function startCopy(draft: StateDraft, report: ShardReport, nowMs: number): void {
  const found = assignedCopy(draft, report);
  if (found?.copy.state !== 'INITIALIZING' || isOutdated(found.index, report)) return;
  const { copy, copies } = found;
  const { index: name, shard } = report;
  const failedAllocations = copy.unassigned?.failedAllocations ?? 0;
  const started: ShardCopy = {
    ...copy,
    state: 'STARTED',
    relocatingNodeId: null,
    unassigned: null,
    ...(failedAllocations === 0 ? {} : { recovered: { failedAllocations, startedAtMs: nowMs } }),
  };
  const source = isRelocationTarget(copy) ? otherEndOfMove(copies, copy) : undefined;
  const replaced = copies.map((each) => (each === (source ?? copy) ? started : each));
  draft.putCopies(name, shard, source === undefined ? replaced : replaced.filter((each) => each !== copy));
  addInSync(draft, name, shard, {
    allocationId: report.allocationId,
    replacedId: source?.allocationId ?? undefined,
  });
  if (source?.primary === true) raisePrimaryTerm(draft, name, shard);
}

/**
 * The copy could not be opened, or failed later, or its primary could not reach it. Its place is free then, and a primary's
 * office goes to an in-sync copy. It is tried again, a primary under the next primary term. One that cannot be opened is
 * given up after `index.allocation.max_retries` times. One that opens well and fails at its work has its failures counted
 * on as well, so that its tries become rarer, but is not given up: a full disk may have room again.
 *
 * A copy that failed by itself has what it had: it stays in sync. One that its primary reports is out of sync from now on,
 * also when it has no place any more: the primary acknowledges operations without it when this was answered.
 *
 * Throws `no_longer_primary_shard_exception` when the report comes from a primary of an earlier term: it must fail itself.
 */
export function shardFailed(
  state: ClusterState,
  input: ShardFailedInput,
  environment: ChangeEnvironment,
): Change<null> {
  const { shard: report } = input;
  const index = state.indices.get(report.index);
  if (index?.uuid !== report.indexUuid) return { state, result: null };
  if (isOutdated(index, report)) throw noLongerPrimary(index, report);
  const draft = new StateDraft(state);
  const found = assignedCopy(draft, report);
  if (found !== undefined) {
    failCopies(draft, index.name, report.shard, [
      { copy: found.copy, info: failureInfo(index, found.copy, input.reason, environment.nowMs) },
    ]);
  }
  if (isOfPrimary(report, found?.copy)) removeInSync(draft, index.name, report.shard, report.allocationId);
  if (!draft.hasChanged) return { state, result: null };
  const indices = draft.indices();
  const routing = reroute({ ...state, indices, routing: draft.routing() }, environment);
  return { state: nextState(state, { indices, routing }, environment), result: null };
}

/** Whether the primary of the shard is another one than that which the report knows. */
export function isOutdated(index: IndexMetadata, { primaryTerm, shard }: ShardReport): boolean {
  return primaryTerm !== undefined && primaryTerm !== index.primaryTerms[shard];
}

function noLongerPrimary(index: IndexMetadata, { primaryTerm, shard }: ShardReport): QuarryError {
  return new QuarryError(
    'no_longer_primary_shard_exception',
    `primary term [${primaryTerm ?? 0}] did not match current primary term [${index.primaryTerms[shard] ?? 0}]`,
    { details: { index_uuid: index.uuid, shard: String(shard), index: index.name } },
  );
}

/** Whether the report comes from the primary, of another copy. */
function isOfPrimary({ primaryTerm }: ShardReport, copy: ShardCopy | undefined): boolean {
  return primaryTerm !== undefined && (copy === undefined || !holdsPrimaryOffice(copy));
}

function failureInfo(index: IndexMetadata, copy: ShardCopy, reason: string, nowMs: number): UnassignedInfo {
  const failedNodeIds = new Set(isActive(copy) ? [] : copy.unassigned?.failedNodeIds);
  if (copy.nodeId !== null) failedNodeIds.add(copy.nodeId);
  return {
    ...unassignedInfo('ALLOCATION_FAILED', nowMs, copy),
    failedAllocations: failuresWith(index, copy, copy.recovered, nowMs),
    failedNodeIds: [...failedNodeIds],
    details: reason,
  };
}

/** Failures in a row, with this one. */
function failuresWith(
  index: IndexMetadata,
  copy: ShardCopy,
  recovered: RecoveredInfo | undefined,
  nowMs: number,
): number {
  if (!isActive(copy)) return (copy.unassigned?.failedAllocations ?? 0) + 1;
  const isSoon = recovered !== undefined && nowMs - recovered.startedAtMs < STEADY_MS;
  const failures = isSoon ? recovered.failedAllocations + 1 : 1;
  return Math.min(failures, Math.max(1, numberSetting(index, 'allocationMaxRetries') - 1));
}

export interface AssignedCopy {
  readonly index: IndexMetadata;
  readonly copies: readonly ShardCopy[];
  readonly copy: ShardCopy;
}

/** The copy that the report is about; undefined when it has no place any more. */
export function assignedCopy(draft: StateDraft, report: ShardReport): AssignedCopy | undefined {
  const index = draft.index(report.index);
  if (index?.uuid !== report.indexUuid) return undefined;
  const copies = draft.copies(report.index, report.shard);
  const copy = copies.find(({ allocationId }) => allocationId === report.allocationId);
  return copy === undefined || copy.state === 'UNASSIGNED' ? undefined : { index, copies, copy };
}
