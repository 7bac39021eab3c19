/** Many actions on documents: cut natively, sent to the owners of their shards, answered in the order of the request. */
import { asQuarryError } from '../../base/error-wire.js';
import { QuarryError } from '../../base/errors.js';
import { heldBytes } from '../../base/indexing-pressure.js';
import { isSystemIndex, TASKS_INDEX } from '../../cluster/names/system-indices.js';
import {
  groupItems,
  ID_SEED_BYTES,
  joinItems,
  splitBulk,
  type BulkItems,
  type ItemAnswers,
  type SourceSpec,
  type SplitBulk,
} from '../../native/bulk.js';
import { describeDocuments, type PlacedAction } from '../../native/describe-items.js';
import {
  actionOfItem,
  idOfItem,
  indexOfItem,
  isConditionalItem,
  itemCount,
  requiresAlias,
  routingOfItem,
  sourceOfItem,
  versionTypeOfItem,
} from '../../native/descriptor.js';
import { withRouting } from '../../native/rewrite-items.js';
import type { ActionContext } from '../context.js';
import { takePipelines } from '../ingest/action-line-pipelines.js';
import { ingestBulk } from '../ingest/ingest-bulk.js';
import type { RefreshPolicy, WriteItemsOutput } from '../operations/write-items.js';
import type { ActiveShards } from './active-shards.js';
import { asAction } from '../security/authority.js';
import { authoriseItems } from '../security/item-actions.js';
import { writeTargetFor } from './auto-create.js';
import { FinishedItems } from './finished-items.js';
import { checkStreamItem, type StreamItem } from './stream-rules.js';
import { combinedRouting, requireAlias, routingTarget, type WriteTarget } from './write-target.js';
import { writeToShard } from './write-to-shard.js';

export interface BulkRequest {
  readonly body: Uint8Array;
  /** For items that do not say it themselves. */
  readonly index?: string;
  readonly routing?: string;
  readonly requireAlias?: boolean;
  readonly requireDataStream?: boolean;
  /** An ingest pipeline, for items that name none. */
  readonly pipeline?: string;
  readonly source?: SourceSpec;
  readonly refresh: RefreshPolicy;
  readonly activeShards: ActiveShards | undefined;
  readonly timeoutMs: number;
}

export interface BulkAnswer {
  readonly errors: boolean;
  /** A JSON array. */
  readonly items: Uint8Array;
  /** Undefined where there were no pipelines to run. */
  readonly ingestTookMs: number | undefined;
}

export async function bulk(request: BulkRequest, context: ActionContext): Promise<BulkAnswer> {
  // The lines of the actions count as what describes them.
  const { length } = request.body;
  const isForced = (): boolean => isOfSystem(request, context);
  return context.pressure.coordinate(length, isForced, () => {
    const { body, pipelines } = takePipelines(request.body);
    const taken = { ...request, body };
    return carryOut(cut(taken, context), taken, pipelines, context);
  });
}

/** All items go to indices of the node's own. Most bulks name none, and need not be cut to be refused. */
function isOfSystem(request: BulkRequest, context: ActionContext): boolean {
  const { body, index } = request;
  const text = Buffer.from(body.buffer, body.byteOffset, body.length);
  const namesOne = (index !== undefined && isSystemIndex(index)) || text.includes(TASKS_INDEX);
  if (!namesOne) return false;
  const { indexNames } = cut({ ...request, body: takePipelines(body).body }, context);
  return indexNames.every(isSystemIndex);
}

/** Writes whose documents lie somewhere in a body, one behind the other or not. */
export interface ManyWrites {
  readonly body: Uint8Array;
  readonly indexNames: readonly string[];
  readonly actions: readonly PlacedAction[];
}

/** As {@link bulk}, of writes that were never lines of text. The body may hold much that is not written: it does not count. */
export async function writeMany(
  writes: ManyWrites,
  options: Pick<BulkRequest, 'refresh' | 'activeShards' | 'timeoutMs' | 'pipeline'>,
  context: ActionContext,
): Promise<BulkAnswer> {
  const documentBytes = lengthOfAll(writes.actions);
  const isForced = (): boolean => writes.indexNames.every(isSystemIndex);
  return context.pressure.coordinate(heldBytes(documentBytes, writes.actions.length), isForced, () => {
    const { body, indexNames, actions } = shared(writes, documentBytes);
    const split = { ...describeDocuments(actions), indexNames, requiresAlias: false };
    return carryOut(split, { ...options, body }, new Map(), context);
  });
}

function lengthOfAll(actions: readonly PlacedAction[]): number {
  return actions.reduce((sum, { length }) => sum + length, 0);
}

/** Other workers read documents where they lie. */
function shared(writes: ManyWrites, documentBytes: number): ManyWrites {
  const { body } = writes;
  if (body.buffer instanceof SharedArrayBuffer) return writes;
  const bytes = new Uint8Array(new SharedArrayBuffer(documentBytes));
  let end = 0;
  const actions = writes.actions.map((action) => {
    const start = end;
    bytes.set(body.subarray(action.start, action.start + action.length), start);
    end += action.length;
    return { ...action, start };
  });
  return { ...writes, body: bytes, actions };
}

async function carryOut(
  given: SplitBulk,
  request: BulkRequest,
  pipelines: ReadonlyMap<number, string>,
  asked: ActionContext,
): Promise<BulkAnswer> {
  const context = asAction(asked, 'indices:data/write/bulk');
  const piped = { body: request.body, split: given, pipeline: request.pipeline, pipelines };
  const { body, split, dropped, failed: refused, tookMs } = await ingestBulk(piped, context);
  const finished = new FinishedItems(split, dropped, refused);
  authoriseItems(split, context, (place, error) => {
    finished.add(place, error);
  });
  const targets = await Promise.all(
    split.indexNames.map((_, name) => targetOf(split, name, finished, request, context)),
  );
  const items = applyTargets(split, targets, finished, { body, context });
  const groups = groupByShard(items, targets, finished);
  const written = { ...request, body };
  const outcomes = await Promise.all(groups.map((group) => writeGroup(group, items, written, context)));
  const parts: ItemAnswers[] = [];
  let failed = false;
  for (const [at, outcome] of outcomes.entries()) {
    const group = groups[at];
    if (outcome instanceof QuarryError) {
      for (const place of group?.selection ?? []) finished.add(place, outcome);
    } else {
      parts.push(...outcome.answers);
      failed ||= outcome.failed > 0;
    }
  }
  parts.push(...finished.answers());
  const errors = failed || finished.errorCount > 0;
  return { errors, items: joinItems(parts, itemCount(items)), ingestTookMs: tookMs };
}

function cut(request: BulkRequest, context: ActionContext): SplitBulk {
  const { index, routing, source } = request;
  const options = {
    ...(index === undefined ? {} : { index }),
    ...(routing === undefined ? {} : { routing }),
    ...(request.requireAlias === undefined ? {} : { requireAlias: request.requireAlias }),
    ...(source === undefined ? {} : { source }),
  };
  return splitBulk(request.body, options, context.random.fill(new Uint8Array(ID_SEED_BYTES)));
}

type TargetOrError = WriteTarget | QuarryError;

/** Where the items that name this index go. Creates the index when an item may do that. */
async function targetOf(
  split: SplitBulk,
  name: number,
  finished: FinishedItems,
  request: BulkRequest,
  context: ActionContext,
): Promise<TargetOrError> {
  const expression = split.indexNames[name] ?? '';
  try {
    return await writeTargetFor(context, {
      expression,
      creates: someItemCreates(split, name, finished),
      requireDataStream: request.requireDataStream === true,
      timeoutMs: request.timeoutMs,
    });
  } catch (error) {
    return asQuarryError(error);
  }
}

/** Deletions do not create an index, except with versions kept elsewhere; nor do items that ask for an alias. */
function someItemCreates(split: SplitBulk, name: number, finished: FinishedItems): boolean {
  for (let item = 0; item < itemCount(split); item++) {
    if (indexOfItem(split, item) !== name || requiresAlias(split, item) || finished.has(item)) continue;
    if (actionOfItem(split, item) !== 'delete' || versionTypeOfItem(split, item) !== 'internal') return true;
  }
  return false;
}

/** Checks `require_alias` and gives items the routing of the alias that they were written through. */
function applyTargets(
  split: SplitBulk,
  targets: readonly TargetOrError[],
  finished: FinishedItems,
  { body, context }: { readonly body: Uint8Array; readonly context: ActionContext },
): BulkItems {
  const isPlain = (target: TargetOrError): boolean =>
    !(target instanceof QuarryError) &&
    target.aliasRouting === undefined &&
    target.stream === undefined &&
    target.parent === undefined;
  // Most bulks need no look at each item.
  if (!split.requiresAlias && targets.every(isPlain)) return split;
  const state = context.clusterState();
  const nowMs = context.clock.nowMs();
  const routings = new Map<number, string>();
  for (let item = 0; item < itemCount(split); item++) {
    const name = indexOfItem(split, item);
    const target = targets[name];
    if (finished.has(item)) continue;
    finished.attempt(item, () => {
      if (requiresAlias(split, item)) requireAlias(state, split.indexNames[name] ?? '', nowMs);
      if (target === undefined || target instanceof QuarryError)
        throw target ?? new QuarryError('internal_error', 'no target');
      checkStreamItem(target, streamItem(split, item, body));
      if (target.aliasRouting === undefined) return;
      const routing = combinedRouting(target, routingOfItem(split, item), idOfItem(split, item));
      if (routing !== undefined) routings.set(item, routing);
    });
  }
  return routings.size === 0 ? split : withRouting(split, routings);
}

function streamItem(split: SplitBulk, item: number, body: Uint8Array): StreamItem {
  return {
    action: actionOfItem(split, item),
    routing: routingOfItem(split, item),
    isConditional: isConditionalItem(split, item),
    source: sourceOfItem({ items: split, body }, item),
  };
}

interface WriteGroup {
  readonly target: WriteTarget;
  readonly shard: number;
  readonly selection: Uint32Array;
}

/** The items of each shard, in the order of the request. */
function groupByShard(
  items: BulkItems,
  targets: readonly TargetOrError[],
  finished: FinishedItems,
): readonly WriteGroup[] {
  // Several names may stand for one index: its items keep their order.
  const distinct: WriteTarget[] = [];
  const names = targets.map((target) => {
    if (target instanceof QuarryError) return null;
    const known = distinct.findIndex(({ index }) => index.uuid === target.index.uuid);
    return known === -1 ? distinct.push(target) - 1 : known;
  });
  const routing = distinct.map(({ index }) => routingTarget(index));
  return groupItems(items, names, routing, finished.places()).flatMap(({ target: place, shard, places }) => {
    const target = distinct[place];
    return target === undefined ? [] : [{ target, shard, selection: places }];
  });
}

/** A shard that cannot be reached fails its items, not the request. */
async function writeGroup(
  group: WriteGroup,
  items: BulkItems,
  request: BulkRequest,
  context: ActionContext,
): Promise<WriteItemsOutput | QuarryError> {
  const { target, shard, selection } = group;
  const { body, refresh, activeShards, timeoutMs } = request;
  const input = { body, items, selection, refresh, bare: false };
  try {
    return await writeToShard({ index: target.index, shard, input, activeShards, timeoutMs }, context);
  } catch (error) {
    return asQuarryError(error);
  }
}
