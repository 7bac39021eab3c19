/** Inputs of shard operations for a subject who may not read everything of an index. */
import type { QuarryError } from '../../../base/errors.js';
import { PairMemo } from '../../../base/pair-memo.js';
import { cacheKey } from '../../../search/plan/cache-key.js';
import { encodePlan, type SearchPlan } from '../../../search/plan/search-plan.js';
import type { SuggestPlan } from '../../../search/suggest/suggest-plan.js';
import type { ShardOperationInput } from '../../shard-operations.js';
import type { Readable } from './readable.js';
import { refusedToReader } from './refusal.js';
import { withDocuments, withinJoins } from './restrict-documents.js';
import { isText, readableNames, withFields } from './restrict-fields.js';

interface EncodedPlan {
  readonly plan: Uint8Array;
}

const made = new PairMemo<Uint8Array, Readable, Uint8Array>();

/** The same bytes for the same plan and restriction. */
export function restrictedPlan(plan: Uint8Array, readable: Readable): Uint8Array {
  return made.get(plan, readable, () => {
    const { documents, view } = readable;
    // What may be read of documents is decided by whole documents.
    const whole = view === undefined ? decoded(plan) : withFields(decoded(plan), view);
    return encodePlan(documents === undefined ? whole : withDocuments(whole, documents));
  });
}

/** A plan whose query is put to a document that may be read, or to none: it needs no filter of its own. */
export function checkedPlan(plan: Uint8Array, { documents, view }: Readable): Uint8Array {
  const whole = view === undefined ? decoded(plan) : withFields(decoded(plan), view);
  return encodePlan(documents === undefined ? whole : withinJoins(whole, documents));
}

function decoded(plan: Uint8Array): SearchPlan {
  return JSON.parse(Buffer.from(plan).toString('utf8')) as SearchPlan;
}

/** A search, or one of its phases; what the request cache keeps of it is another answer for each restriction. */
export function restrictedInput<Input extends EncodedPlan & { readonly cache?: { readonly key: string } }>(
  input: Input,
  readable: Readable,
): Input {
  const plan = restrictedPlan(input.plan, readable);
  const { cache, ...others } = input;
  const key = cache === undefined ? undefined : cacheKey(decoded(plan));
  return { ...others, plan, ...(key === undefined ? {} : { cache: { key } }) } as Input;
}

export function restrictedSuggestions(
  input: ShardOperationInput<'suggest'>,
  { documents, view }: Readable,
): typeof input {
  if (documents !== undefined) throw refusedToReader("Suggest isn't supported if document level security is enabled");
  if (view === undefined) return input;
  const plan = JSON.parse(Buffer.from(input.plan).toString('utf8')) as SuggestPlan;
  return { ...input, plan: encodePlan(withFields(plan, view)) };
}

export function restrictedTermVectors(
  input: ShardOperationInput<'term-vectors'>,
  { documents, view }: Readable,
): typeof input {
  const given = JSON.parse(Buffer.from(input.plan).toString('utf8')) as TermVectorsMembers;
  const asked = view === undefined ? given : { ...given, fields: readableNames(given.fields, view, isText) };
  const plan = Buffer.from(JSON.stringify(asked), 'utf8');
  if (documents === undefined) return { ...input, plan };
  if (asked.term_statistics) throw withoutStatistics('term_statistics');
  if (asked.filter !== undefined) throw withoutStatistics('filter');
  const { document } = input;
  if ('source' in document) return { ...input, plan };
  return { ...input, plan, document: { ...document, options: { ...document.options, realtime: false } } };
}

function withoutStatistics(member: string): QuarryError {
  return refusedToReader(`[${member}] of term vectors isn't supported if document level security is enabled`);
}

interface TermVectorsMembers {
  readonly fields: readonly string[];
  readonly term_statistics: boolean;
  readonly filter?: object;
}
