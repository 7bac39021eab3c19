/** Writes to the primary of a shard, wherever that is or comes to be before the request's `timeout`. */
import { asQuarryError } from '../../base/error-wire.js';
import { QuarryError, type ErrorType } from '../../base/errors.js';
import { formatTime } from '../../base/units.js';
import { indexNotFound } from '../../cluster/names/index-expression.js';
import { globalBlock, isGlobalBlock } from '../../cluster/blocks/global-blocks.js';
import { slowLogUser } from '../../cluster/security/slow-log-user.js';
import type { FlatSettings } from '../../cluster/settings/flat-settings.js';
import { includesUser, slowFromMs } from '../../cluster/settings/slow-log-settings.js';
import type { IndexMetadata } from '../../cluster/state.js';
import type { ItemAnswers } from '../../native/bulk.js';
import { actionOfItem, idOfItem } from '../../native/descriptor.js';
import { toRepeat } from '../../native/rewrite-items.js';
import type { ActionContext } from '../context.js';
import { copiesOf, primaryPlace } from '../copy-selection.js';
import { inTime } from '../in-time.js';
import type { WriteItemsInput, WriteItemsOutput } from '../operations/write-items.js';
import { noShardAvailable } from '../shard-host.js';
import { requireActiveCopies, type ActiveShards } from './active-shards.js';
import { renderItemError } from './item-error.js';
import { shardKey } from './write-target.js';

export interface ShardWrite {
  readonly index: IndexMetadata;
  readonly shard: number;
  readonly input: Omit<WriteItemsInput, 'timeoutMs'>;
  readonly activeShards: ActiveShards | undefined;
  readonly timeoutMs: number;
}

/** The shard was not asked, or did nothing: whoever holds it now is asked in its place. */
const NOT_DONE: ReadonlySet<ErrorType> = new Set([
  'connect_transport_exception',
  'node_not_connected_exception',
  'shard_not_found_exception',
]);

/** The shard may have done some or all of it, or none. */
const PERHAPS_DONE: ReadonlySet<ErrorType> = new Set([
  'no_longer_primary_shard_exception',
  'no_shard_available_action_exception',
  'node_disconnected_exception',
  'primary_term_stale_exception',
]);

/** Beyond the request's `timeout`. A primary ends its own wait before; its node may hang, or the way to it. */
const ANSWER_PATIENCE = { withoutMasterMs: 5_000, withMasterMs: 120_000 } as const;

/** The next try waits for another state, but not longer than this. */
const FIRST_PAUSE_MS = 50;
const PAUSE_MS_MAX = 1_000;

/**
 * What may have been carried out when the primary was lost is repeated only where that changes nothing; other items fail
 * with what the loss was.
 */
export async function writeToShard(write: ShardWrite, context: ActionContext): Promise<WriteItemsOutput> {
  const { clock } = context;
  const deadlineMs = clock.monotonicMs() + write.timeoutMs;
  const leftMs = (): number => Math.max(0, deadlineMs - clock.monotonicMs());
  const failed: ItemAnswers[] = [];
  let { input } = write;
  for (let pauseMs = FIRST_PAUSE_MS; ; pauseMs = Math.min(PAUSE_MS_MAX, 2 * pauseMs)) {
    const { version } = context.clusterState();
    try {
      return withFailed(await tryOnce(write, input, leftMs(), context), failed);
    } catch (thrown) {
      const error = asQuarryError(thrown);
      const isOver = leftMs() === 0 || context.cancellation.isCancelled;
      const isPerhapsDone = PERHAPS_DONE.has(error.type);
      if (isOver && NOT_DONE.has(error.type)) throw neverReached(write, input, error);
      if (isOver || !(isPerhapsDone || NOT_DONE.has(error.type) || isGlobalBlock(error))) throw error;
      if (isPerhapsDone) {
        const { items, safe, unsafe } = toRepeat(input.items, input.selection);
        failed.push(failures(write, unsafe, error));
        input = { ...input, items, selection: safe };
        if (safe.length === 0) return withFailed({ answers: [], status: error.status, failed: 0 }, failed);
      }
    }
    await context.whenState((state) => state.version > version, Math.min(pauseMs, leftMs()));
  }
}

async function tryOnce(
  write: ShardWrite,
  input: ShardWrite['input'],
  leftMs: number,
  context: ActionContext,
): Promise<WriteItemsOutput> {
  const { index, shard, timeoutMs, activeShards } = write;
  const key = shardKey(index, shard);
  await whenUnblocked(context, leftMs);
  const waiting = { leftMs, timeoutMs, request: describe(write, input) };
  await requireActiveCopies(context, index, key, activeShards, waiting);
  const state = context.clusterState();
  if (state.indices.get(index.name)?.uuid !== index.uuid) throw indexNotFound(index.name);
  const place = primaryPlace(state, key);
  if (place === undefined) throw noShardAvailable(key, copiesOf(state, key)[0]?.unassigned?.details);
  const user = slowLogUserOf(state.indices.get(index.name)?.settings, context);
  const answer = context.shards.onCopy(key, place, 'write-items', { ...input, ...user, timeoutMs: leftMs });
  // A worker of this node reads the request's body where it lies: it must have ended before that is used again.
  if (place.nodeId === context.node.id) return answer;
  return inTime(answer, { ...ANSWER_PATIENCE, timeoutMs: leftMs }, context, () => {
    const reason = `[${index.name}][${shard}] the primary has not answered within [${formatTime(timeoutMs)}]`;
    return new QuarryError('unavailable_shards_exception', `${reason}: the write may be done or not`);
  });
}

/** Told only where a slow log of the index has it. */
function slowLogUserOf(
  settings: FlatSettings | undefined,
  { subject }: ActionContext,
): Pick<WriteItemsInput, 'user'> | undefined {
  if (subject === undefined || settings === undefined || !includesUser(settings, 'index')) return undefined;
  return slowFromMs(settings, 'index') === undefined ? undefined : { user: slowLogUser(subject) };
}

/** The newest state may be outdated where no master is known. */
async function whenUnblocked(context: ActionContext, leftMs: number): Promise<void> {
  const block = globalBlock(context.clusterState(), context.node, 'write');
  if (block === undefined) return;
  const free = await context.whenState((state) => globalBlock(state, context.node, 'write') === undefined, leftMs);
  if (free === undefined) throw block;
}

/** To a client `404` would tell that a document is not there. */
function neverReached(write: ShardWrite, input: ShardWrite['input'], cause: QuarryError): QuarryError {
  const { index, shard, timeoutMs } = write;
  const timeout = `Timeout: [${formatTime(timeoutMs)}], request: [${describe(write, input)}]`;
  const reason = `[${index.name}][${shard}] primary shard was not reached (${cause.message}) ${timeout}`;
  return new QuarryError('unavailable_shards_exception', reason, { cause });
}

const REFRESH_WORDS = { none: '', immediate: ' and a refresh', wait_for: ' blocking until refresh' } as const;

/** As the API names the request in errors. */
function describe({ index, shard }: ShardWrite, { selection, refresh }: ShardWrite['input']): string {
  const count = `containing [${selection.length}] requests`;
  return `BulkShardRequest [[${index.name}][${shard}]] ${count}${REFRESH_WORDS[refresh]}`;
}

function withFailed(output: WriteItemsOutput, failed: readonly ItemAnswers[]): WriteItemsOutput {
  const count = failed.reduce((sum, { places }) => sum + places.length, 0);
  if (count === 0) return output;
  return { ...output, answers: [...output.answers, ...failed], failed: output.failed + count };
}

function failures({ index, input }: ShardWrite, places: Uint32Array, error: QuarryError): ItemAnswers {
  const { items, bare } = input;
  const rendered = Array.from(places, (place) => {
    const item = { action: actionOfItem(items, place), index: index.name, id: idOfItem(items, place) };
    return Buffer.from(JSON.stringify(renderItemError(item, error, bare)), 'utf8');
  });
  let end = 0;
  return { items: Buffer.concat(rendered), ends: Uint32Array.from(rendered, (json) => (end += json.length)), places };
}
