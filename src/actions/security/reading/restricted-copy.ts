/**
 * A copy of a shard as a subject sees it who may not read everything of its index. Each operation is asked of the copy with the restriction in its
 * plan, so that it holds wherever the copy is. What reads documents by id is checked by their sequence numbers: one that a search finds among the
 * documents that may be read, before and after, is the one that was read.
 */
import { QuarryError } from '../../../base/errors.js';
import type { PatternBudget } from '../../../cluster/security/common-patterns.js';
import type { GetOptions, GetResult } from '../../../native/get-options.js';
import type { QueryPlan } from '../../../search/plan/query-plan.js';
import { encodePlan, type LimitsPlan, type SearchPlan } from '../../../search/plan/search-plan.js';
import type { GetDocument, GetDocumentsInput } from '../../operations/get-documents.js';
import type { ShardOperationInput, ShardOperationName, ShardOperationOutput } from '../../shard-operations.js';
import { withoutIgnored } from './mask-ignored.js';
import type { Readable } from './readable.js';
import { isStored, readableNames } from './restrict-fields.js';
import { filterBudget, readableSource } from './source-filter.js';

/** Asks the copy, as it is. */
export type AskCopy = <Name extends ShardOperationName>(
  name: Name,
  input: ShardOperationInput<Name>,
) => Promise<ShardOperationOutput<Name>>;

export interface RestrictedCopy {
  readonly index: string;
  readonly readable: Readable;
  readonly ask: AskCopy;
  readonly nowMs: () => number;
  readonly limits: () => LimitsPlan;
}

/** A document that changes each time it is looked at is given up. */
const TRIES_MAX = 5;

/** Documents by id: those that may not be read are not found. Nothing that was not refreshed is read, as nobody could say what it matches. */
export async function visibleDocuments(
  { documents: asked, refresh }: GetDocumentsInput,
  copy: RestrictedCopy,
): Promise<readonly GetResult[]> {
  const budget = filterBudget();
  const documents = asked.map(({ id, options }) => ({ id, options: readableOptions(options, copy, budget) }));
  const results = await readDocuments(documents, refresh, copy);
  const { view } = copy.readable;
  if (view === undefined) return results;
  return results.map((result) => ({ ...result, body: withoutIgnored(result.body, view) }));
}

async function readDocuments(
  documents: readonly GetDocument[],
  refresh: boolean,
  copy: RestrictedCopy,
): Promise<readonly GetResult[]> {
  if (copy.readable.documents === undefined) return copy.ask('get-documents', { documents, refresh });
  const results: (GetResult | undefined)[] = documents.map(() => undefined);
  for (let tries = 0; tries < TRIES_MAX; tries++) {
    const places = [...documents.keys()].filter((place) => results[place] === undefined);
    const wanted = places.map((place) => documents[place] as GetDocument);
    const round = await oneRound(wanted, { refresh: refresh && tries === 0 }, copy);
    for (const [at, place] of places.entries()) results[place] = round[at];
    if (results.every((result) => result !== undefined)) return results;
  }
  throw keepsChanging(copy);
}

function readableOptions(
  options: GetOptions,
  { readable: { view } }: RestrictedCopy,
  budget: PatternBudget,
): GetOptions {
  if (view === undefined) return options;
  const { storedFields, source } = options;
  return {
    ...options,
    source: readableSource(source ?? storedFields === undefined, view, budget),
    ...(storedFields === undefined ? {} : { storedFields: readableNames(storedFields, view, isStored) }),
  };
}

/** Undefined where a document changed meanwhile. */
async function oneRound(
  wanted: readonly GetDocument[],
  { refresh }: { readonly refresh: boolean },
  copy: RestrictedCopy,
): Promise<readonly (GetResult | undefined)[]> {
  // The version is compared only of what may be read: an error would tell that there is a document.
  const read = wanted.map(({ id, options }) => ({ id, options: plainOptions(options) }));
  const results = await copy.ask('get-documents', { documents: read, refresh });
  const found = wanted.filter((_, at) => results[at]?.found === true).map(({ id }) => id);
  const visible = await visibleNumbers(found, copy);
  const readable = wanted.map((document, at) => readResult(document, results[at], visible.get(document.id), copy));
  return withComparedVersions(wanted, readable, copy);
}

/** Undefined where the document is another one by now. */
function readResult(
  { id, options }: GetDocument,
  result: GetResult | undefined,
  number: number | undefined,
  copy: RestrictedCopy,
): GetResult | undefined {
  if (result?.found !== true || number === undefined) return missing(id, options, copy);
  return numberOf(result) === number ? result : undefined;
}

/** Of those that were found as they were asked for. Throws `version_conflict_engine_exception` as the copy does. */
async function withComparedVersions(
  wanted: readonly GetDocument[],
  results: readonly (GetResult | undefined)[],
  copy: RestrictedCopy,
): Promise<readonly (GetResult | undefined)[]> {
  const compared = [...wanted.keys()].filter(
    (at) => results[at]?.found === true && wanted[at]?.options.version !== undefined,
  );
  const asked = compared.map((at) => comparedDocument(wanted[at] as GetDocument));
  const again = asked.length === 0 ? [] : await copy.ask('get-documents', { documents: asked, refresh: false });
  const byPlace = new Map(compared.map((at, place) => [at, again[place]]));
  return results.map((result, at) => {
    if (result?.found !== true) return result;
    const now = byPlace.has(at) ? byPlace.get(at) : result;
    if (now?.found !== true || numberOf(now) !== numberOf(result)) return undefined;
    return wanted[at]?.options.sourceOnly === true ? sourceOf(now) : now;
  });
}

function comparedDocument({ id, options }: GetDocument): GetDocument {
  const { sourceOnly: _sourceOnly, ...compared } = options;
  return { id, options: { ...compared, realtime: false } };
}

function plainOptions(options: GetOptions): GetOptions {
  const { version: _version, versionType: _type, sourceOnly: _sourceOnly, ...others } = options;
  return { ...others, realtime: false };
}

function missing(id: string, options: GetOptions, { index }: RestrictedCopy): GetResult {
  if (options.sourceOnly === true) return { found: false, body: new Uint8Array(0) };
  return { found: false, body: Buffer.from(JSON.stringify({ _index: index, _id: id, found: false })) };
}

function numberOf({ body }: GetResult): number | undefined {
  const { _seq_no: number } = JSON.parse(Buffer.from(body).toString('utf8')) as { readonly _seq_no?: number };
  return number;
}

const SOURCE = Buffer.from('"_source":');

/** As it was stored: the last member of a document that is read whole. No text in front of it can hold quotes that are not escaped. */
function sourceOf({ body }: GetResult): GetResult {
  const bytes = Buffer.from(body);
  const at = bytes.indexOf(SOURCE);
  return { found: true, body: at === -1 ? new Uint8Array(0) : bytes.subarray(at + SOURCE.length, -1) };
}

/** Sequence numbers of those of the documents that may be read. */
async function visibleNumbers(ids: readonly string[], copy: RestrictedCopy): Promise<ReadonlyMap<string, number>> {
  const { documents } = copy.readable;
  if (ids.length === 0 || documents === undefined) return new Map();
  const values = [...new Set(ids)];
  const plan = encodePlan(idsPlan(values, documents, copy));
  const { hits } = await copy.ask('search', { plan, groups: [] });
  const rendered = JSON.parse(Buffer.from(hits).toString('utf8')) as RenderedHits;
  return new Map(rendered.hits.map(({ _id: id, _seq_no: number }) => [id, number]));
}

interface RenderedHits {
  readonly hits: readonly { readonly _id: string; readonly _seq_no: number }[];
}

function idsPlan(values: readonly string[], documents: QueryPlan, { nowMs, limits }: RestrictedCopy): SearchPlan {
  return {
    query: { bool: { filter: [{ ids: { values } }, documents] } },
    from: 0,
    size: values.length,
    track_total_hits: 'disabled',
    now_ms: nowMs(),
    limits: limits(),
    fetch: { source: { enabled: false }, seq_no_primary_term: true },
  };
}

/** What is made of one document, if it may be read, else `absent`. */
export async function ofVisible<Output>(
  id: string,
  copy: RestrictedCopy,
  absent: Output,
  make: () => Promise<Output>,
): Promise<Output> {
  if (copy.readable.documents === undefined) return make();
  for (let tries = 0; tries < TRIES_MAX; tries++) {
    const before = (await visibleNumbers([id], copy)).get(id);
    if (before === undefined) return absent;
    const output = await make();
    if ((await visibleNumbers([id], copy)).get(id) === before) return output;
  }
  throw keepsChanging(copy);
}

function keepsChanging({ index }: RestrictedCopy): QuarryError {
  const reason = `a document of [${index}] changes each time it is looked at`;
  return new QuarryError('es_rejected_execution_exception', reason);
}
