/** The same operation on every shard of several indices. */
import { asQuarryError } from '../../base/error-wire.js';
import type { QuarryError } from '../../base/errors.js';
import type { JsonObject } from '../../base/json-value.js';
import { copiesWithoutTargets, isActive, primaryOf, recoverySourceOf } from '../../cluster/copies/shard-copies.js';
import type { IndexMetadata, ShardCopy } from '../../cluster/state.js';
import type { ActionContext } from '../context.js';
import { copiesOf, placeOf } from '../copy-selection.js';
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

/**
 * Asks every active copy with the same input, and primaries that are being opened; any other counts in the total alone,
 * and so does a primary that is being restored.
 * Replicas are asked once their primary has answered: what it did is what they get.
 */
export function broadcast<Name extends ShardOperationName>(
  context: ActionContext,
  indices: readonly IndexMetadata[],
  name: Name,
  input: ShardOperationInput<Name>,
): Promise<BroadcastResult<ShardOperationOutput<Name>>> {
  return broadcastEach(context, indices, name, () => input);
}

export type CopiesAsked = 'all' | 'primaries';

/** As {@link broadcast}, with an input for each index; where only primaries are asked, only they count. */
export async function broadcastEach<Name extends ShardOperationName>(
  context: ActionContext,
  indices: readonly IndexMetadata[],
  name: Name,
  inputFor: (index: IndexMetadata) => ShardOperationInput<Name>,
  copiesAsked: CopiesAsked = 'all',
): Promise<BroadcastResult<ShardOperationOutput<Name>>> {
  const { routing } = context.clusterState();
  const shards = indices.flatMap((index) =>
    (routing.get(index.name)?.shards ?? []).map((all) => ({
      index,
      copies: copiesAsked === 'all' ? all : all.filter((copy) => copy === primaryOf(all)),
    })),
  );
  const outcomes = await Promise.all(
    shards.map(({ index, copies }) => askShard(context, index, copies, name, inputFor(index))),
  );
  return {
    total: shards.reduce((sum, { copies }) => sum + copiesWithoutTargets(copies).length, 0),
    answers: outcomes.flatMap(({ answers }) => answers),
    failures: outcomes.flatMap(({ failures }) => failures),
  };
}

/** Asks the active copies that this node has, of all open indices. Copies that cannot answer now are left out. */
export async function onOwnCopies<Name extends ShardOperationName>(
  context: ActionContext,
  name: Name,
  input: ShardOperationInput<Name>,
): Promise<readonly ShardAnswer<ShardOperationOutput<Name>>[]> {
  const { routing, indices } = context.clusterState();
  const own = [...indices.values()]
    .filter(({ state }) => state === 'open')
    .flatMap((index) =>
      (routing.get(index.name)?.shards ?? [])
        .flat()
        .filter((copy) => copy.nodeId === context.node.id && isActive(copy))
        .map((copy) => ({ index, copy })),
    );
  const outcomes = await Promise.allSettled(own.map(({ index, copy }) => onCopy(context, index, copy, name, input)));
  return outcomes.flatMap((outcome, at) => {
    const asked = own[at];
    if (asked === undefined || outcome.status === 'rejected' || outcome.value === undefined) return [];
    return [{ ...asked, shard: asked.copy.shard, output: outcome.value.value }];
  });
}

interface ShardOutcome<Output> {
  readonly answers: readonly ShardAnswer<Output>[];
  readonly failures: readonly ShardFailure[];
}

async function askShard<Name extends ShardOperationName>(
  context: ActionContext,
  index: IndexMetadata,
  copies: readonly ShardCopy[],
  name: Name,
  input: ShardOperationInput<Name>,
): Promise<ShardOutcome<ShardOperationOutput<Name>>> {
  const answers: ShardAnswer<ShardOperationOutput<Name>>[] = [];
  const failures: ShardFailure[] = [];
  const ask = async (copy: ShardCopy): Promise<void> => {
    const { shard } = copy;
    try {
      const output = await onCopy(context, index, copy, name, input);
      if (output !== undefined) answers.push({ index, shard, copy, output: output.value });
    } catch (thrown) {
      const error = asQuarryError(thrown);
      if (!isRestoring(index, copy, error)) failures.push({ index: index.name, shard, error });
    }
  };
  const primary = primaryOf(copies);
  if (primary !== undefined) await ask(primary);
  await Promise.all(copies.filter((copy) => copy !== primary && isActive(copy)).map(ask));
  return { answers, failures };
}

/** No copy to ask yet, so nothing that failed. */
function isRestoring(index: IndexMetadata, copy: ShardCopy, { type }: QuarryError): boolean {
  const isUnavailable = type === 'no_shard_available_action_exception';
  return isUnavailable && copy.state === 'INITIALIZING' && recoverySourceOf(index, copy) === 'SNAPSHOT';
}

/**
 * Undefined for a copy without a place. A connection may be at its end without this node's knowing, as after a pause of the other: while
 * the state has the copy, it is asked again over a new one. What is broadcast may be done twice.
 */
async function onCopy<Name extends ShardOperationName>(
  context: ActionContext,
  index: IndexMetadata,
  copy: ShardCopy,
  name: Name,
  input: ShardOperationInput<Name>,
): Promise<{ readonly value: ShardOperationOutput<Name> } | undefined> {
  const key = keyOf(index, copy.shard);
  const place = placeOf(copy);
  if (place === undefined) return undefined;
  try {
    return { value: await context.shards.onCopy(key, place, name, input) };
  } catch (error) {
    const known = copiesOf(context.clusterState(), key);
    const isThere = known.some(({ allocationId }) => allocationId === copy.allocationId);
    if (asQuarryError(error).type !== 'node_disconnected_exception' || !isThere) throw error;
    return { value: await context.shards.onCopy(key, place, name, input) };
  }
}

export function keyOf(index: IndexMetadata, shard: number): ShardKey {
  return { index: index.name, indexUuid: index.uuid, shard };
}

/** What `render` makes of each copy that answered, in a list for each shard number. */
export function byShard<Output>(
  answers: readonly ShardAnswer<Output>[],
  render: (answer: ShardAnswer<Output>) => JsonObject,
): JsonObject {
  const shards: Record<string, JsonObject[]> = {};
  for (const answer of answers) (shards[String(answer.shard)] ??= []).push(render(answer));
  return shards;
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
