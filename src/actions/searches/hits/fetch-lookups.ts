/** What queries need of documents before they can run: terms of a document's field, documents to compare with or to percolate. */
import { illegalArgument, QuarryError } from '../../../base/errors.js';
import { isJsonObject, type JsonObject, type JsonScalar, type JsonValue } from '../../../base/json-value.js';
import type { ShapeLookupPlan } from '../../../search/plan/geo-plans.js';
import type { DocumentLookupPlan, TermsLookupPlan } from '../../../search/plan/query-plan.js';
import type { LikeDocumentPlan } from '../../../search/plan/text-plans.js';
import { bitmapOf, checkTermsCount } from '../../../search/query/term-level/terms-query.js';
import { PRIMARY, parsePreference } from '../../copy-preference.js';
import { getDocument, getDocuments, type FoundDocument } from '../../documents/get-documents.js';
import type { ReadContext } from '../../read-from-copies.js';
import { commonSearchSettings } from '../search-plans.js';

interface Address {
  readonly index: string;
  readonly id: string;
  readonly routing?: string;
}

/** `plan` with every lookup in it carried out; `indices` are those that the search is about. */
export async function fetchLookups<Plan extends object>(
  plan: Plan,
  indices: readonly string[],
  context: ReadContext,
): Promise<Plan> {
  return needsDocuments(plan) ? ((await walk(plan, { indices, context })) as Plan) : plan;
}

/** Whether there are lookups in a plan. Most have none: they are looked through at once, without a promise for each part. */
export function needsDocuments(value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return false;
  if (Array.isArray(value)) return typeof value[0] === 'object' && value.some(needsDocuments);
  return 'lookup' in value || 'like_documents' in value || Object.values(value).some(needsDocuments);
}

interface Walk {
  readonly indices: readonly string[];
  readonly context: ReadContext;
}

/** The value again with what was fetched; the very same value where it has no lookup. */
async function walk(value: unknown, scope: Walk): Promise<unknown> {
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) {
    // A list of scalars may be long, and has no queries.
    if (typeof value[0] !== 'object') return value;
    const items = await Promise.all(value.map((item) => walk(item, scope)));
    return items.every((item, at) => item === value[at]) ? value : items;
  }
  let changed: Record<string, unknown> | undefined;
  for (const [name, member] of Object.entries(value)) {
    const walked = await walkMember(name, member, scope);
    if (walked === member) continue;
    changed ??= { ...value };
    changed[name] = walked;
  }
  return changed ?? value;
}

function walkMember(name: string, member: unknown, scope: Walk): Promise<unknown> {
  if (name === 'terms' && isLookup(member)) return lookUpTerms(member, scope);
  if (name === 'geo_shape' && isShapeLookup(member)) return lookUpShape(member, scope);
  if (name === 'percolate' && isDocumentLookup(member)) return lookUpDocument(member, scope);
  if (name === 'like_documents' || name === 'unlike_documents') {
    return fetchLiked(member as readonly LikeDocumentPlan[], scope);
  }
  return walk(member, scope);
}

interface LookupQuery {
  readonly lookup: TermsLookupPlan;
}

function isLookup(value: unknown): value is LookupQuery {
  return typeof value === 'object' && value !== null && 'lookup' in value;
}

async function lookUpTerms({ lookup, ...query }: LookupQuery, scope: Walk): Promise<unknown> {
  const [source] = await sourcesOf([lookup], scope.context);
  const values: JsonScalar[] = [];
  if (source !== undefined) collectAt(source, lookup.path, values);
  // A document without the field names no numbers, as it names no terms.
  if (lookup.is_bitmap === true && values.length > 0) return { ...query, ...bitmapOf(values) };
  const state = scope.context.clusterState();
  const settings = commonSearchSettings(
    state,
    scope.indices.flatMap((name) => state.indices.get(name) ?? []),
  );
  checkTermsCount(values.length, settings);
  return { ...query, values };
}

interface ShapeLookupQuery {
  readonly lookup: ShapeLookupPlan;
}

function isShapeLookup(value: unknown): value is ShapeLookupQuery {
  return typeof value === 'object' && value !== null && 'lookup' in value && 'relation' in value;
}

/** The document must be there, and have the shape. */
async function lookUpShape({ lookup, ...query }: ShapeLookupQuery, scope: Walk): Promise<unknown> {
  const { id, path } = lookup;
  const [source] = await sourcesOf([lookup], scope.context);
  if (source === undefined) throw illegalArgument(`Shape with ID [${id}] not found`);
  const shape = valueAt(source, path);
  if (shape === undefined) {
    throw new QuarryError('illegal_state_exception', `Shape with name [${id}] found but missing ${path} field`);
  }
  return { ...query, shape: JSON.stringify(shape) };
}

interface DocumentLookupQuery {
  readonly lookup: DocumentLookupPlan;
}

function isDocumentLookup(value: unknown): value is DocumentLookupQuery {
  return isLookup(value) && 'documents' in value;
}

/** The document must be there, with its source. */
async function lookUpDocument({ lookup, ...query }: DocumentLookupQuery, scope: Walk): Promise<unknown> {
  const { index, id, routing, preference, version } = lookup;
  const options = {
    sourceOnly: true,
    ...(routing === undefined ? {} : { routing }),
    ...(version === undefined ? {} : { version }),
  };
  const copies = preference === undefined ? PRIMARY : parsePreference(preference).copies;
  const { result } = await getDocument({ index, id, options }, { refresh: false, copies }, scope.context);
  if (result.body.length > 0) return { ...query, documents: [Buffer.from(result.body).toString('utf8')] };
  // Without a source nothing else is answered: whether the document is there is another question.
  const { result: whole } = await getDocument(
    { index, id, options: { ...options, sourceOnly: false } },
    { refresh: false, copies },
    scope.context,
  );
  if (whole.found) throw illegalArgument(`indexed document [${index}/${id}] source disabled`);
  throw new QuarryError('resource_not_found_exception', `indexed document [${index}/${id}] couldn't be found`);
}

/** The value at a path through objects; names may hold dots. */
function valueAt(value: JsonValue, path: string): JsonValue | undefined {
  if (!isJsonObject(value)) return undefined;
  for (const [name, member] of Object.entries(value) as [string, JsonValue][]) {
    if (name === path) return member;
    const found = path.startsWith(`${name}.`) ? valueAt(member, path.slice(name.length + 1)) : undefined;
    if (found !== undefined) return found;
  }
  return undefined;
}

/** Documents that name no index are looked for in each that is searched. */
async function fetchLiked(documents: readonly LikeDocumentPlan[], scope: Walk): Promise<readonly LikeDocumentPlan[]> {
  const addressed = documents.flatMap((document): readonly LikeDocumentPlan[] => {
    if (document.id === undefined || document.index !== undefined) return [document];
    return scope.indices.map((index) => ({ ...document, index }));
  });
  const addresses = addressed.flatMap(({ id, index, routing }) =>
    id === undefined || index === undefined ? [] : [{ index, id, ...(routing === undefined ? {} : { routing }) }],
  );
  const sources = (await documentsAt(addresses, scope.context)).map(likedSource);
  return addressed.map(({ routing: _routing, ...document }) => {
    if (document.id === undefined) return document;
    const source = sources.shift();
    return source === undefined ? document : { ...document, source };
  });
}

async function sourcesOf(
  addresses: readonly Address[],
  context: ReadContext,
): Promise<readonly (JsonObject | undefined)[]> {
  return (await documentsAt(addresses, context)).map(sourceOf);
}

type DocumentOrError = FoundDocument | QuarryError;

async function documentsAt(addresses: readonly Address[], context: ReadContext): Promise<readonly DocumentOrError[]> {
  if (addresses.length === 0) return [];
  return getDocuments(
    addresses.map(({ index, id, routing }) => ({
      index,
      id,
      options: { sourceOnly: true, ...(routing === undefined ? {} : { routing }) },
    })),
    { refresh: false, copies: PRIMARY },
    context,
  );
}

/** A document that cannot be read is like nothing; one that lacks its routing is a mistake of the request. */
function likedSource(found: DocumentOrError): JsonObject | undefined {
  if (found instanceof QuarryError && found.type !== 'routing_missing_exception') return undefined;
  return sourceOf(found);
}

function sourceOf(found: DocumentOrError): JsonObject | undefined {
  if (found instanceof QuarryError) throw found;
  const { body } = found.result;
  if (!found.result.found || body.length === 0) return undefined;
  return JSON.parse(Buffer.from(body).toString('utf8')) as JsonObject;
}

/** The scalars at a path, through objects and arrays; names may hold dots. */
function collectAt(value: JsonValue, path: string, out: JsonScalar[]): void {
  if (Array.isArray(value)) {
    for (const item of value as readonly JsonValue[]) collectAt(item, path, out);
  } else if (isJsonObject(value)) {
    for (const [name, member] of Object.entries(value) as [string, JsonValue][]) {
      if (name === path) collectScalars(member, out);
      else if (path.startsWith(`${name}.`)) collectAt(member, path.slice(name.length + 1), out);
    }
  }
}

function collectScalars(value: JsonValue, out: JsonScalar[]): void {
  if (Array.isArray(value)) {
    for (const item of value as readonly JsonValue[]) collectScalars(item, out);
  } else if (value !== null && !isJsonObject(value)) out.push(value as JsonScalar);
}
