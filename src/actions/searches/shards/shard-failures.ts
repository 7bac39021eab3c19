/** What becomes of a search when some or all of its shards fail. */
import { QuarryError } from '../../../base/errors.js';
import type { JsonObject } from '../../../base/json-value.js';
import { renderCause } from '../../documents/item-error.js';
import type { ShardKey } from '../../shard-client.js';

export interface ShardFailure {
  readonly key: ShardKey;
  readonly error: QuarryError;
  /** Of the copy that was asked last; undefined when there was none. */
  readonly nodeId: string | undefined;
}

export interface ShardCounts {
  readonly total: number;
  readonly failures: readonly ShardFailure[];
  /** Of the successful ones: those that did not have to be asked. */
  readonly skipped?: number;
  /** Those that have not answered yet. */
  readonly pending?: number;
}

/** Throws when no shard answered, or some did not and partial answers are not wanted. `phase`: in which the last ones failed. */
export function checkFailures(counts: ShardCounts, allowPartial: boolean, phase: 'query' | 'fetch' = 'query'): void {
  const { total, failures } = counts;
  if (failures.length === 0 || (allowPartial && failures.length < total)) return;
  if (!allowPartial) refuseMissing(failures);
  const allFailed = failures.length === total;
  const reason = allFailed ? 'all shards failed' : 'Partial shards failure';
  const causes = distinctCauses(failures);
  const [first] = causes;
  throw new QuarryError('search_phase_execution_exception', reason, {
    details: { phase, grouped: true, failed_shards: renderFailures(failures) },
    rootCauses: causes,
    status: Math.max(...causes.map(({ status }) => status)),
    ...(first === undefined ? {} : { cause: first }),
  });
}

/** Of these there is no copy to ask. */
function refuseMissing(failures: readonly ShardFailure[]): void {
  const missing = failures.filter(({ nodeId }) => nodeId === undefined);
  if (missing.length === 0) return;
  const names = missing.map(({ key }) => `[${key.index}][${key.shard}]`).join(', ');
  const advice = 'Consider using `allow_partial_search_results` setting to bypass this error.';
  throw new QuarryError(
    'search_phase_execution_exception',
    `Search rejected due to missing shards [${names}]. ${advice}`,
    { details: { phase: 'query', grouped: true, failed_shards: [] }, status: 503 },
  );
}

/** A failure to merge what shards answered, which concerns none of them more than the others. */
export function reduceFailure(cause: QuarryError): QuarryError {
  return phaseFailure('query', '', cause);
}

/** A search for what hits show of other indices failed. */
export function lookupFailure(cause: QuarryError): QuarryError {
  return phaseFailure('fetch_lookup_fields', 'failed to fetch lookup fields', cause);
}

function phaseFailure(phase: string, reason: string, cause: QuarryError): QuarryError {
  return new QuarryError('search_phase_execution_exception', reason, {
    details: { phase, grouped: true, failed_shards: [] },
    cause,
    status: cause.status,
  });
}

/** The `_shards` object of a search or count. */
export function renderShards(counts: ShardCounts): JsonObject {
  const { total, failures, skipped = 0, pending = 0 } = counts;
  const shards = { total, successful: total - failures.length - pending, skipped, failed: failures.length };
  return failures.length === 0 ? shards : { ...shards, failures: renderFailures(failures) };
}

/** One entry for each index and reason, as the API groups them. */
function renderFailures(failures: readonly ShardFailure[]): readonly JsonObject[] {
  const groups = new Map<string, JsonObject>();
  for (const { key, error, nodeId } of failures) {
    const id = `${key.index}\n${error.type}\n${error.message}`;
    if (groups.has(id)) continue;
    groups.set(id, { shard: key.shard, index: key.index, node: nodeId ?? null, reason: renderCause(error) });
  }
  return [...groups.values()];
}

function distinctCauses(failures: readonly ShardFailure[]): readonly QuarryError[] {
  const causes = new Map<string, QuarryError>();
  for (const { key, error } of failures) {
    const id = `${key.index}\n${error.type}\n${error.message}`;
    if (!causes.has(id)) causes.set(id, error);
  }
  return [...causes.values()];
}
