/** The same operation on every shard of several indices. */
import { asQuarryError } from '../../base/error-wire.js';
import type { QuarryError } from '../../base/errors.js';
import type { JsonObject } from '../../base/json-value.js';
import type { IndexMetadata, ShardCopy } from '../../cluster/state.js';
import type { ActionContext } from '../context.js';
import type { ShardKey } from '../shard-client.js';
import type { ShardOperationInput, ShardOperationName, ShardOperationOutput } from '../shard-operations.js';

export interface ShardAnswer<Output> {
  readonly index: IndexMetadata;
  readonly shard: number;
  readonly copy: ShardCopy;
  readonly output: Output;
}

export interface ShardFailure {
  readonly index: string;
  readonly shard: number;
  readonly error: QuarryError;
}

export interface BroadcastResult<Output> {
  /** Copies of all shards, the unassigned ones too. */
  readonly total: number;
  /** In order of index name and shard number. */
  readonly answers: readonly ShardAnswer<Output>[];
  readonly failures: readonly ShardFailure[];
}

/** Asks every primary with the same input; an unassigned copy counts in the total alone. */
export function broadcast<Name extends ShardOperationName>(
  context: ActionContext,
  indices: readonly IndexMetadata[],
  name: Name,
  input: ShardOperationInput<Name>,
): Promise<BroadcastResult<ShardOperationOutput<Name>>> {
  return broadcastEach(context, indices, name, () => input);
}

/** As {@link broadcast}, with an input for each index. */
export async function broadcastEach<Name extends ShardOperationName>(
  context: ActionContext,
  indices: readonly IndexMetadata[],
  name: Name,
  inputFor: (index: IndexMetadata) => ShardOperationInput<Name>,
): Promise<BroadcastResult<ShardOperationOutput<Name>>> {
  const { routing } = context.clusterState();
  const copies = indices.flatMap((index) =>
    (routing.get(index.name)?.shards ?? []).flatMap((shard) => shard.map((copy) => ({ index, copy }))),
  );
  const asked = copies.filter(({ copy }) => copy.primary && copy.state !== 'UNASSIGNED');
  const outcomes = await Promise.allSettled(
    asked.map(({ index, copy }) => context.shards.onShard(keyOf(index, copy.shard), name, inputFor(index))),
  );
  const answers: ShardAnswer<ShardOperationOutput<Name>>[] = [];
  const failures: ShardFailure[] = [];
  outcomes.forEach((outcome, at) => {
    const target = asked[at];
    if (target === undefined) return;
    const { index, copy } = target;
    if (outcome.status === 'fulfilled') answers.push({ index, shard: copy.shard, copy, output: outcome.value });
    else failures.push({ index: index.name, shard: copy.shard, error: asQuarryError(outcome.reason) });
  });
  return { total: copies.length, answers, failures };
}

export function keyOf(index: IndexMetadata, shard: number): ShardKey {
  return { index: index.name, indexUuid: index.uuid, shard };
}

/** The `_shards` object of an answer. */
export function shardsHeader(result: BroadcastResult<unknown>): JsonObject {
  const { total, answers, failures } = result;
  return {
    total,
    successful: answers.length,
    failed: failures.length,
    ...(failures.length === 0 ? {} : { failures: failures.map(renderFailure) }),
  };
}

const STATUS_NAMES: Readonly<Record<number, string>> = {
  400: 'BAD_REQUEST',
  404: 'NOT_FOUND',
  429: 'TOO_MANY_REQUESTS',
  503: 'SERVICE_UNAVAILABLE',
};

function renderFailure({ index, shard, error }: ShardFailure): JsonObject {
  const { type, message, details } = error;
  return {
    shard,
    index,
    status: STATUS_NAMES[error.status] ?? 'INTERNAL_SERVER_ERROR',
    reason: { type, reason: message, ...details },
  };
}
