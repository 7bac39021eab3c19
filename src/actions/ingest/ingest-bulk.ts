/** Pipelines of the items of a bulk: only documents that have one are parsed. */
import { fromPlainError, asQuarryError } from '../../base/error-wire.js';
import { illegalArgument, QuarryError } from '../../base/errors.js';
import { newId, type Random } from '../../base/random.js';
import type { BulkItems, SplitBulk } from '../../native/bulk.js';
import { describeDocument } from '../../native/describe-items.js';
import { actionAt, indexOfItem, itemCount, sourceOfItem, type DocumentAction } from '../../native/descriptor.js';
import { withReplaced, type ReplacedItem } from '../../native/rewrite-items.js';
import type { ActionContext } from '../context.js';
import { NO_PIPELINE, pipelinesOfIndex, type IndexPipelines } from './index-pipelines.js';
import type { DocumentMetadata, IngestItem, IngestOutcome } from './ingest-item.js';
import { runPipelines } from './run-pipelines.js';
import { readUpdateBody, type UpdateBody } from './update-body.js';

export interface BulkWithPipelines {
  readonly body: Uint8Array;
  readonly split: SplitBulk;
  /** Of the request, for items that name none. */
  readonly pipeline: string | undefined;
  /** Those that items name. */
  readonly pipelines: ReadonlyMap<number, string>;
}

export interface IngestedBulk {
  readonly body: Uint8Array;
  readonly split: SplitBulk;
  /** Items that are not to be written. */
  readonly dropped: readonly number[];
  readonly failed: ReadonlyMap<number, QuarryError>;
  /** Undefined when no item has a pipeline. */
  readonly tookMs: number | undefined;
}

interface Pending {
  readonly place: number;
  readonly item: IngestItem;
  readonly update: UpdateBody | undefined;
}

/** Bytes that pipelines may make of one bulk. */
const INGESTED_BYTES_MAX = 1024 * 1024 * 1024;

export async function ingestBulk(bulk: BulkWithPipelines, context: ActionContext): Promise<IngestedBulk> {
  const { body, split } = bulk;
  const untouched = { body, split, dropped: [], failed: new Map<number, QuarryError>(), tookMs: undefined };
  const ofIndex = pipelinesByName(split, context);
  const hasNone = ofIndex.every((own) => own.default === NO_PIPELINE && own.final === NO_PIPELINE);
  if (hasNone && bulk.pipelines.size === 0 && (bulk.pipeline ?? NO_PIPELINE) === NO_PIPELINE) return untouched;
  const startedMs = context.clock.monotonicMs();
  const failed = new Map<number, QuarryError>();
  const pending = pendingItems(bulk, ofIndex, failed);
  if (pending.length === 0 && failed.size === 0) return untouched;
  const outcomes = await runPipelines(
    pending.map(({ item }) => item),
    context,
  );
  const merged = new Merge(bulk, failed, context.random);
  for (const [at, each] of pending.entries()) {
    const outcome = outcomes[at];
    if (outcome !== undefined) merged.take(each, outcome);
  }
  return { ...merged.result(), tookMs: context.clock.monotonicMs() - startedMs };
}

function pipelinesByName({ indexNames }: SplitBulk, context: ActionContext): readonly IndexPipelines[] {
  const state = context.clusterState();
  const nowMs = context.clock.nowMs();
  return indexNames.map((name) => pipelinesOfIndex(state, name, nowMs));
}

function pendingItems(
  { body, split, pipeline: asked, pipelines }: BulkWithPipelines,
  ofIndex: readonly IndexPipelines[],
  failed: Map<number, QuarryError>,
): readonly Pending[] {
  const pending: Pending[] = [];
  for (let place = 0; place < itemCount(split); place++) {
    const action = actionAt(split, place);
    if (action.action === 'delete') continue;
    const own = ofIndex[indexOfItem(split, place)];
    const pipeline = pipelines.get(place) ?? asked ?? own?.default ?? NO_PIPELINE;
    const finalPipeline = own?.final ?? NO_PIPELINE;
    if (pipeline === NO_PIPELINE && finalPipeline === NO_PIPELINE) continue;
    try {
      const source = sourceOfItem({ body, items: split }, place);
      const update = action.action === 'update' ? readUpdateBody(source) : undefined;
      if (action.action === 'update' && update === undefined) continue;
      const index = split.indexNames[indexOfItem(split, place)] ?? '';
      const metadata = metadataOf(index, action);
      // Other threads' memory goes no further than this thread.
      const own = Uint8Array.from(update?.source ?? source);
      pending.push({ place, update, item: { ...metadata, pipeline, finalPipeline, source: own } });
    } catch (error) {
      failed.set(place, asQuarryError(error));
    }
  }
  return pending;
}

/** An id that was made for the request is none. */
export function metadataOf(index: string, described: DocumentAction): DocumentMetadata {
  const { action, id, autoId, version, source: _source, ...others } = described;
  return {
    ...others,
    ...(version === undefined ? {} : { version: String(version) }),
    index,
    action: action === 'create' ? 'create' : 'index',
    ...(autoId === true ? {} : { id }),
  };
}

/**
 * What of the metadata an item is written with. One that is left without an id gets one of its own: the id that the user gave
 * may be that of a document that is there, and nobody looks for that of an automatic one.
 */
export function actionOf(metadata: DocumentMetadata, before: DocumentAction, random: Random): DocumentAction {
  const { index: _index, id, version, ...rest } = metadata;
  const others = { ...rest, ...(version === undefined ? {} : { version: BigInt(version) }) };
  if (id !== undefined) return { ...others, id };
  const made = before.autoId === true ? before.id : newId(random);
  // A condition on what was there is looked up, and not met.
  return { ...others, id: made, ...(others.ifSeqNo === undefined ? { autoId: true } : {}) };
}

class Merge {
  readonly #bulk: BulkWithPipelines;
  readonly #failed: Map<number, QuarryError>;
  readonly #random: Random;
  readonly #dropped: number[] = [];
  readonly #replaced = new Map<number, ReplacedItem>();
  readonly #names: Map<string, number>;
  #bytes = 0;

  constructor(bulk: BulkWithPipelines, failed: Map<number, QuarryError>, random: Random) {
    this.#bulk = bulk;
    this.#failed = failed;
    this.#random = random;
    this.#names = new Map(bulk.split.indexNames.map((name, at) => [name, at]));
  }

  take({ place, update }: Pending, outcome: IngestOutcome): void {
    if (outcome.kind === 'dropped') this.#dropped.push(place);
    else if (outcome.kind === 'failed') this.#failed.set(place, fromPlainError(outcome.error));
    else {
      try {
        this.#replace(place, update, outcome);
      } catch (error) {
        this.#failed.set(place, asQuarryError(error));
      }
    }
  }

  result(): Omit<IngestedBulk, 'tookMs'> {
    const { body, split } = this.#bulk;
    const changed = withReplaced({ body, items: split }, this.#replaced);
    return {
      body: changed.body,
      split: { ...split, ...changed.items, indexNames: [...this.#names.keys()] },
      dropped: this.#dropped,
      failed: this.#failed,
    };
  }

  #replace(place: number, update: UpdateBody | undefined, outcome: IngestOutcome & { kind: 'changed' }): void {
    const source = update === undefined ? outcome.source : update.replace(outcome.source);
    this.#bytes += source.length;
    if (this.#bytes > INGESTED_BYTES_MAX) {
      throw illegalArgument(`pipelines may make at most [${INGESTED_BYTES_MAX}] bytes of one bulk`);
    }
    const described = update === undefined ? { described: this.#describe(place, outcome.metadata, source.length) } : {};
    this.#replaced.set(place, { index: this.#place(outcome.metadata.index), source, ...described });
  }

  /** Throws what contradicts itself in the metadata: that is the fault of this item alone. */
  #describe(place: number, metadata: DocumentMetadata, length: number): BulkItems {
    return describeDocument(actionOf(metadata, actionAt(this.#bulk.split, place), this.#random), length);
  }

  #place(name: string): number {
    const place = this.#names.get(name) ?? this.#names.size;
    this.#names.set(name, place);
    return place;
  }
}
