/** Runs pipelines over documents: on this node if it has the role `ingest`, else on one that has. */
import { setImmediate as nextTurn } from 'node:timers/promises';
import { toPlainError } from '../../base/error-wire.js';
import { illegalArgument, QuarryError } from '../../base/errors.js';
import { decodeUtf8 } from '../../base/json.js';
import type { ClusterState } from '../../cluster/state.js';
import { IngestDocument } from '../../ingest/document/ingest-document.js';
import { METADATA } from '../../ingest/document/metadata.js';
import {
  isObject,
  numberOf,
  parseValue,
  printValue,
  putMember,
  writeValue,
  type IngestObject,
  type IngestValue,
} from '../../ingest/document/values.js';
import { INGEST_SLICE_MS, REROUTES_MAX } from '../../ingest/limits.js';
import { errorOf } from '../../ingest/run/ingest-failure.js';
import type { ActionContext } from '../context.js';
import { defineNodeAction } from '../nodes/node-action.js';
import { NO_PIPELINE, pipelinesOfIndex } from './index-pipelines.js';
import type { DocumentMetadata, IngestItem, IngestOutcome } from './ingest-item.js';

/** How long another node may take. */
const FORWARDED_MS_MAX = 10 * 60_000;

/** In the order of the items. */
export async function runPipelines(
  items: readonly IngestItem[],
  context: ActionContext,
): Promise<readonly IngestOutcome[]> {
  const state = context.clusterState();
  const ids = [...state.nodes.values()].filter(({ roles }) => roles.includes('ingest')).map(({ id }) => id);
  if (ids.includes(context.node.id)) return runHere(items, context);
  const id = ids[context.random.below(Math.max(1, ids.length))];
  if (id === undefined) {
    const reason = 'There are no ingest nodes in this cluster, unable to forward request to an ingest node.';
    throw new QuarryError('illegal_state_exception', reason);
  }
  return context.nodes.onNode(id, 'run-pipelines', { items, stateVersion: state.version }, FORWARDED_MS_MAX);
}

/** What another node asks. The pipelines are those that it knows. */
export const runPipelinesAction = defineNodeAction(
  'run-pipelines',
  async (
    context,
    { items, stateVersion }: { readonly items: readonly IngestItem[]; readonly stateVersion: number },
  ): Promise<readonly IngestOutcome[]> => {
    await context.whenState(({ version }) => version >= stateVersion, FORWARDED_MS_MAX);
    return runHere(items, context);
  },
);

async function runHere(items: readonly IngestItem[], context: ActionContext): Promise<readonly IngestOutcome[]> {
  const outcomes: IngestOutcome[] = [];
  let sliceEndMs = context.clock.monotonicMs() + INGEST_SLICE_MS;
  for (const item of items) {
    outcomes.push(runOne(item, context));
    if (context.clock.monotonicMs() < sliceEndMs) continue;
    await nextTurn();
    context.cancellation.throwIfCancelled();
    sliceEndMs = context.clock.monotonicMs() + INGEST_SLICE_MS;
  }
  return outcomes;
}

function runOne(item: IngestItem, context: ActionContext): IngestOutcome {
  const { statistics } = context.ingest;
  const started = statistics.documentStarted();
  let failed = true;
  let producedBytes = 0;
  try {
    const document = documentOf(item, context.clock.nowMs());
    new Way(item, document, context).go();
    failed = false;
    if (document.isDropped) return { kind: 'dropped' };
    const result = resultOf(document, item);
    producedBytes = result.source.length;
    return { kind: 'changed', ...result };
  } catch (error) {
    return { kind: 'failed', error: toPlainError(errorOf(error)) };
  } finally {
    statistics.documentEnded(started, failed);
    const first = item.pipeline === NO_PIPELINE ? item.finalPipeline : item.pipeline;
    statistics.documentPassed(first, item.source.length, producedBytes);
  }
}

/** A document's way: its pipeline, then the final one of the index that it ends in. */
class Way {
  readonly #item: IngestItem;
  readonly #document: IngestDocument;
  readonly #context: ActionContext;
  readonly #state: ClusterState;

  constructor(item: IngestItem, document: IngestDocument, context: ActionContext) {
    this.#item = item;
    this.#document = document;
    this.#context = context;
    this.#state = context.clusterState();
  }

  go(): void {
    const final = this.#reachIndex();
    if (final === undefined) return;
    const target = this.#target();
    if (!this.#run(final) || this.#target() === target) return;
    const moved = `can't change the target index (from [${target}] to [${this.#target()}])`;
    const reason = `final pipeline [${final}] ${moved} for document [${this.#item.id ?? ''}]`;
    throw new QuarryError('illegal_state_exception', reason);
  }

  /** Runs the pipelines before the final one, and gives that; undefined where the document was dropped. */
  #reachIndex(): string | undefined {
    const { pipeline, finalPipeline, index } = this.#item;
    let [next, final] = [pipeline, finalPipeline];
    const visited = [index];
    while (this.#run(next)) {
      const target = this.#target();
      const isRerouted = this.#document.isRerouted;
      this.#document.isRerouted = false;
      if (target === visited.at(-1)) return final;
      const found = pipelinesOfIndex(this.#state, target, this.#context.clock.nowMs());
      if (!isRerouted) return found.final;
      visited.push(target);
      checkReroutes(next, visited);
      [next, final] = [found.default, found.final];
    }
    return undefined;
  }

  /** Whether the document goes on. */
  #run(id: string): boolean {
    if (id === NO_PIPELINE) return true;
    const { ingest } = this.#context;
    const find = ingest.pipelinesOf(this.#state);
    const pipeline = find(id);
    if (pipeline === undefined) throw illegalArgument(`pipeline with id [${id}] does not exist`);
    ingest.run(pipeline, this.#document, find);
    return !this.#document.isDropped;
  }

  #target(): string {
    return printValue(this.#document.find('_index'));
  }
}

function checkReroutes(pipeline: string, visited: readonly string[]): void {
  if (visited.length > REROUTES_MAX + 1) {
    throw illegalArgument(`a document may not be rerouted more than [${REROUTES_MAX}] times`);
  }
  if (new Set(visited).size === visited.length) return;
  const reason = `index cycle detected while processing pipeline [${pipeline}]: [${visited.join(', ')}]`;
  throw new QuarryError('illegal_state_exception', reason);
}

export function documentOf(item: DocumentMetadata & { readonly source: Uint8Array }, nowMs: number): IngestDocument {
  const source = parseValue(decodeUtf8(item.source));
  if (!isObject(source)) throw new QuarryError('mapper_parsing_exception', 'failed to parse: a document is an object');
  refuseMetadata(source);
  const root: IngestObject = source;
  root['_index'] = item.index;
  const members: readonly (readonly [string, IngestValue | undefined])[] = [
    ['_id', item.id],
    ['_routing', item.routing],
    ['_version', item.version === undefined ? UNSET_VERSION : parseValue(item.version)],
    ['_version_type', item.versionType],
    ['_if_seq_no', item.ifSeqNo],
    ['_if_primary_term', item.ifPrimaryTerm],
  ];
  for (const [name, value] of members) if (value !== undefined) root[name] = value;
  return new IngestDocument(root, { timestamp: new Date(nowMs).toISOString() });
}

/** The source and the metadata are one object for pipelines: a member of that name would say where the document goes. */
function refuseMetadata(source: IngestObject): void {
  const found = METADATA.filter((name) => Object.hasOwn(source, name)).sort();
  if (found.length === 0) return;
  const shown = found.map((name) => `${name}:${printValue(source[name] ?? null).slice(0, SHOWN_CHARACTERS)}`);
  throw illegalArgument(`unexpected metadata [${shown.join(', ')}] in source`);
}

/** Of a value within a message. */
const SHOWN_CHARACTERS = 100;

/** The version of a document that has none: any matches. */
const UNSET_VERSION = -3;

/** Metadata and source of a document again. */
function resultOf(document: IngestDocument, item: IngestItem): { metadata: DocumentMetadata; source: Uint8Array } {
  const metadata = new Map<string, IngestValue>();
  const source: IngestObject = {};
  for (const [name, value] of Object.entries(document.root)) {
    if ((METADATA as readonly string[]).includes(name)) metadata.set(name, value);
    else putMember(source, name, value);
  }
  const text = (name: string): string | undefined => {
    const value = metadata.get(name);
    return value === undefined || value === null ? undefined : printValue(value);
  };
  const index = text('_index');
  if (index === undefined || index === '') throw illegalArgument('a pipeline removed [_index] from the document');
  return {
    metadata: defined({
      index,
      id: text('_id'),
      routing: text('_routing'),
      version: versionOf(metadata),
      versionType: versionTypeOf(text('_version_type')),
      ifSeqNo: integer(metadata, '_if_seq_no'),
      ifPrimaryTerm: integer(metadata, '_if_primary_term'),
      action: actionOf(text('_op_type'), item.action),
    }),
    source: Buffer.from(writeValue(source), 'utf8'),
  };
}

function defined<T extends object>(members: T): { [Name in keyof T]: Exclude<T[Name], undefined> } {
  const kept = Object.entries(members).filter(([, value]) => value !== undefined);
  return Object.fromEntries(kept) as { [Name in keyof T]: Exclude<T[Name], undefined> };
}

function integer(metadata: ReadonlyMap<string, IngestValue>, name: string): number | undefined {
  const value = metadata.get(name);
  if (value === undefined || value === null) return undefined;
  const number = numberOf(value) ?? Number(printValue(value));
  if (Number.isSafeInteger(number)) return number;
  throw illegalArgument(`[${name}] of a document is an integer, not [${printValue(value)}]`);
}

function versionOf(metadata: ReadonlyMap<string, IngestValue>): string | undefined {
  const value = metadata.get('_version');
  if (typeof value !== 'bigint') {
    const number = integer(metadata, '_version');
    return number === undefined || number === UNSET_VERSION ? undefined : String(number);
  }
  return String(value);
}

function versionTypeOf(text: string | undefined): DocumentMetadata['versionType'] {
  if (text === undefined || text === 'internal' || text === 'external' || text === 'external_gte') return text;
  throw illegalArgument(`No version type match [${text}]`);
}

function actionOf(text: string | undefined, asked: DocumentMetadata['action']): DocumentMetadata['action'] {
  if (text === undefined) return asked;
  if (text === 'index' || text === 'create') return text;
  throw illegalArgument(`opType must be 'create' or 'index', found: [${text}]`);
}
