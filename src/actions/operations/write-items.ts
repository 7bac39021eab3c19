/**
 * Carries out items of a bulk (or the one item of a document endpoint) on one shard: natively in one call, except where
 * documents bring new fields, which go to the coordinator, or queries, which are planned, before the batch goes on.
 */
import { asQuarryError } from '../../base/error-wire.js';
import { QuarryError } from '../../base/errors.js';
import { heldBytes } from '../../base/indexing-pressure.js';
import { formatTime } from '../../base/units.js';
import type { SlowLogUser } from '../../cluster/security/slow-log-user.js';
import { isSystemIndex } from '../../cluster/names/system-indices.js';
import type { BulkItems, ItemAnswers } from '../../native/bulk.js';
import { actionOfItem, idOfItem, sourceBytesOfItem } from '../../native/descriptor.js';
import type { UnplannedTexts } from '../../native/planned-queries.js';
import type { BulkOutcome, UnmappedField } from '../../native/bulk-call.js';
import type { ManagedShard } from '../../shard/managed-shard.js';
import { definePrimaryOperation, type ShardOperationContext } from '../shard-operation.js';
import { renderItemError } from '../documents/item-error.js';
import { inTime, type Patience } from '../in-time.js';
import { countCopies } from './count-copies.js';
import { forgetFetchedOfOthers, QueryPlanner } from './plan-stored-queries.js';
import { logSlowDocuments } from './slow-documents.js';

/** When what was written becomes searchable: on its own, before the answer, or the answer waits for it. */
export type RefreshPolicy = 'none' | 'immediate' | 'wait_for';

export interface WriteItemsInput {
  /** The request's body: shared memory, so that it is not copied to the worker that owns the shard. */
  readonly body: Uint8Array;
  readonly items: BulkItems;
  /** Which items of `items`, in order. */
  readonly selection: Uint32Array;
  readonly refresh: RefreshPolicy;
  /** Items are plain document answers, as the document endpoints give them. */
  readonly bare: boolean;
  /** For the mapping to be updated, and for other copies to have what is written. */
  readonly timeoutMs: number;
  /** For slow logs that tell who asked. */
  readonly user?: SlowLogUser;
}

/** The answers' `places` are the selected items. */
export interface WriteItemsOutput {
  readonly answers: readonly ItemAnswers[];
  /** Of the first item. */
  readonly status: number;
  readonly failed: number;
}

/** Mapping updates and plans that one document can need: it is asked again after each, and must get further. */
const MAPPING_ROUNDS_MAX = 10;
/** How long one of them may take. */
const MAPPING_MS_MAX = 30_000;
const UNAVAILABLE = 503;
const CONFLICT = 409;

export const writeItems = definePrimaryOperation(
  'write-items',
  async (shard, input: WriteItemsInput, context): Promise<WriteItemsOutput> => {
    shard.copies.refuseIfClosed();
    context.checkAccounting();
    const documentBytes = sourceBytes(input);
    const share = {
      bytes: heldBytes(documentBytes, input.selection.length),
      operations: input.selection.length,
      isCoordinatedHere: !context.isOfOtherNode,
      isForced: isSystemIndex(shard.key.index),
    };
    return context.pressure.carryOut(share, () => carryOut(shard, input, documentBytes, context));
  },
);

async function carryOut(
  shard: ManagedShard,
  input: WriteItemsInput,
  documentBytes: number,
  context: ShardOperationContext,
): Promise<WriteItemsOutput> {
  const startedMs = context.clock.monotonicMs();
  const batch = new ItemBatch(shard, input, context);
  await batch.carryOut();
  const byCopies = <Result>(work: Promise<Result>): Promise<Result> =>
    inTime(work, patienceFor(input), context, () => notAcknowledged(shard, input));
  await byCopies(shard.acknowledged(batch.location, batch.maxSeqNo));
  shard.wrote();
  shard.writes.ended(context.clock.monotonicMs() - startedMs, documentBytes);
  const answers = countCopies(batch.answers, 1 + shard.copies.waitedFor);
  if (batch.location > 0 && input.refresh !== 'none') {
    // The next refresh may be far away, and is waited for nevertheless.
    if (input.refresh === 'wait_for') await shard.whenRefreshed();
    await byCopies<unknown>(input.refresh === 'immediate' ? shard.refreshCopies() : shard.copies.published());
  }
  return { answers, status: batch.status, failed: batch.failed };
}

/** How long a primary that has a master waits for copies beyond the request's `timeout`: they are given up before, after a minute at most. */
const ACKNOWLEDGE_GRACE_MS = 90_000;

function patienceFor({ timeoutMs }: WriteItemsInput): Patience {
  return { timeoutMs, withoutMasterMs: 0, withMasterMs: ACKNOWLEDGE_GRACE_MS };
}

function notAcknowledged({ key }: ManagedShard, { timeoutMs }: WriteItemsInput): QuarryError {
  const reason = `[${key.index}][${key.shard}] not every in-sync copy has acknowledged the write`;
  return new QuarryError(
    'unavailable_shards_exception',
    `${reason} within [${formatTime(timeoutMs)}]: it may be lost or not`,
  );
}

function sourceBytes({ items, selection }: WriteItemsInput): number {
  let bytes = 0;
  for (const place of selection) bytes += sourceBytesOfItem(items, place);
  return bytes;
}

class ItemBatch {
  readonly answers: ItemAnswers[] = [];
  status = 0;
  failed = 0;
  location = 0;
  maxSeqNo = -1;
  private readonly shard: ManagedShard;
  private readonly input: WriteItemsInput;
  private readonly context: ShardOperationContext;
  /** Made when the first query is met. */
  private queries: QueryPlanner | undefined;

  constructor(shard: ManagedShard, input: WriteItemsInput, context: ShardOperationContext) {
    this.shard = shard;
    this.input = input;
    this.context = context;
  }

  async carryOut(): Promise<void> {
    try {
      await this.carryOutAll();
    } finally {
      this.queries?.end();
    }
  }

  private async carryOutAll(): Promise<void> {
    const { selection } = this.input;
    let from = 0;
    let rounds = 0;
    // How many items are looked at for what they need. Each refusal looks at all of them, so that refusals make them few.
    let ahead = selection.length;
    while (from < selection.length) {
      const within = selection.subarray(0, from + ahead);
      const outcome = this.callNative(within, from);
      rounds = outcome.processed === from ? rounds + 1 : 1;
      from = outcome.processed;
      if (outcome.unmapped === undefined) {
        ahead *= 2;
        continue;
      }
      if (rounds > MAPPING_ROUNDS_MAX) throw stuckOnMapping(this.shard.key.index, outcome.unmapped);
      if ((await this.prepare(within, from, outcome)) === undefined) continue;
      // Some document of the batch has a field that cannot be added, or a query that is none: find out whether it is this one.
      await this.carryOutOne(from);
      from++;
      rounds = 0;
      ahead = 1;
    }
  }

  /** The item at this position of the selection alone; what its fields are refused for becomes its error. */
  private async carryOutOne(position: number): Promise<void> {
    const alone = this.input.selection.subarray(position, position + 1);
    for (let round = 0; round < MAPPING_ROUNDS_MAX; round++) {
      const outcome = this.callNative(alone, 0);
      if (outcome.unmapped === undefined) return;
      const error = await this.prepare(alone, 0, outcome);
      if (error === undefined) continue;
      this.addError(alone, error);
      return;
    }
    this.addError(alone, stuckOnMapping(this.shard.key.index, []));
  }

  private callNative(selection: Uint32Array, from: number): BulkOutcome {
    const { body, items, refresh, bare } = this.input;
    const options = { from, nowMs: this.context.clock.nowMs(), forcedRefresh: refresh === 'immediate', bare };
    forgetFetchedOfOthers(this.shard.native, this.queries);
    const outcome = this.shard.native.bulk(body, items, selection, options);
    this.location = Math.max(this.location, outcome.location);
    this.maxSeqNo = Math.max(this.maxSeqNo, outcome.maxSeqNo);
    this.failed += outcome.failed;
    this.shard.writes.answered(outcome.statuses);
    if (outcome.failed > 0) this.countConflicts(outcome, selection, from);
    if (outcome.slow.length > 0) logSlowDocuments(this.shard, this.input, outcome.slow, this.context);
    if (outcome.processed === from) return outcome;
    const places = selection.slice(from, outcome.processed);
    this.answers.push({ items: outcome.items, ends: outcome.ends, places });
    if (this.answers.length === 1) this.status = outcome.statuses[0] ?? 0;
    return outcome;
  }

  /** Deletions that conflict are not among what failed to be indexed. */
  private countConflicts({ statuses, processed }: BulkOutcome, selection: Uint32Array, from: number): void {
    const { items } = this.input;
    const places = selection.subarray(from, processed);
    const isConflict = (place: number, at: number): boolean =>
      statuses[at] === CONFLICT && actionOfItem(items, place) !== 'delete';
    this.shard.writes.conflicted(places.filter(isConflict).length);
  }

  /**
   * Does what the item at this position of the selection waits for. Gives what documents are refused for; throws what ends the
   * whole batch.
   */
  private async prepare(selection: Uint32Array, from: number, outcome: BulkOutcome): Promise<QuarryError | undefined> {
    try {
      await this.addFields(selection, from, outcome.unmapped ?? []);
    } catch (error) {
      refuseIfUnavailable(error);
      return asQuarryError(error);
    }
    try {
      await this.planQueries(outcome.unplanned);
    } catch (error) {
      // Documents that cannot be fetched are wanted by this one alone.
      this.context.cancellation.throwIfCancelled();
      return asQuarryError(error);
    }
    return undefined;
  }

  private async planQueries(texts: UnplannedTexts | undefined): Promise<void> {
    if (texts === undefined) return;
    this.queries ??= new QueryPlanner(this.shard.native, this.shard.key.index, this.context.reads());
    await this.queries.plan(texts);
  }

  /** The fields that the documents from this position of the selection on bring. */
  private async addFields(selection: Uint32Array, from: number, brought: readonly UnmappedField[]): Promise<void> {
    const fields = brought.length === 0 ? brought : await this.fieldsTaken(selection, from, brought);
    if (fields.length === 0) return;
    const { index, indexUuid } = this.shard.key;
    const timeoutMs = Math.min(this.input.timeoutMs, MAPPING_MS_MAX);
    const change = { index: { name: index, uuid: indexUuid }, fields };
    await this.context.coordinator.submit('add-dynamic-fields', change, { timeoutMs });
  }

  private async fieldsTaken(
    selection: Uint32Array,
    from: number,
    fields: readonly UnmappedField[],
  ): Promise<readonly UnmappedField[]> {
    const { body, items } = this.input;
    // What an update makes is known when it is carried out.
    if (actionOfItem(items, selection[from] ?? 0) === 'update') return fields;
    const { fieldsTaken } = await import('./fields-taken.js');
    const { index, indexUuid } = this.shard.key;
    const state = this.context.clusterState();
    const brought = { body, items, selection, from, fields };
    return fieldsTaken(this.shard.native, { name: index, uuid: indexUuid }, brought, state);
  }

  private addError(places: Uint32Array, error: QuarryError): void {
    const { items, bare } = this.input;
    const [place = 0] = places;
    const item = { action: actionOfItem(items, place), index: this.shard.key.index, id: idOfItem(items, place) };
    const json = Buffer.from(JSON.stringify(renderItemError(item, error, bare)), 'utf8');
    this.answers.push({ items: json, ends: Uint32Array.of(json.length), places: places.slice() });
    this.shard.writes.answered([error.status]);
    if (this.answers.length === 1) this.status = error.status;
    this.failed++;
  }
}

/** That the mapping could not be changed is no fault of one document, and all others would wait as long. */
function refuseIfUnavailable(error: unknown): void {
  if (asQuarryError(error).status === UNAVAILABLE) throw error;
}

function stuckOnMapping(index: string, fields: readonly UnmappedField[]): QuarryError {
  const names = fields.map(({ path }) => path).join(', ');
  return new QuarryError(
    'internal_error',
    `the mapping of [${index}] still lacks the fields [${names}] after its update`,
  );
}
