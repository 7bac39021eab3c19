/** Inputs of shard operations for a subject who may not read everything of an index. */
import { cacheKey } from '../../../search/plan/cache-key.js';
import { encodePlan, type SearchPlan } from '../../../search/plan/search-plan.js';
import type { ShardOperationInput } from '../../shard-operations.js';
import type { ReadRestriction } from './read-restrictions.js';
import { refusedToReader } from './refusal.js';
import { withDocuments, withinJoins } from './restrict-documents.js';

interface EncodedPlan {
  readonly plan: Uint8Array;
}

const made = new WeakMap<Uint8Array, WeakMap<ReadRestriction, Uint8Array>>();

/** The same bytes for the same plan and restriction. */
export function restrictedPlan(plan: Uint8Array, restriction: ReadRestriction): Uint8Array {
  let byRestriction = made.get(plan);
  if (byRestriction === undefined) {
    byRestriction = new WeakMap();
    made.set(plan, byRestriction);
  }
  const known = byRestriction.get(restriction);
  if (known !== undefined) return known;
  const whole = decoded(plan);
  const { documents } = restriction;
  const bytes = encodePlan(documents === undefined ? whole : withDocuments(whole, documents));
  byRestriction.set(restriction, bytes);
  return bytes;
}

/** A plan whose query is put to a document that may be read, or to none: it needs no filter of its own. */
export function checkedPlan(plan: Uint8Array, { documents }: ReadRestriction): Uint8Array {
  return documents === undefined ? plan : encodePlan(withinJoins(decoded(plan), documents));
}

function decoded(plan: Uint8Array): SearchPlan {
  return JSON.parse(Buffer.from(plan).toString('utf8')) as SearchPlan;
}

/** A search, or one of its phases; what the request cache keeps of it is another answer for each restriction. */
export function restrictedInput<Input extends EncodedPlan & { readonly cache?: { readonly key: string } }>(
  input: Input,
  restriction: ReadRestriction,
): Input {
  const plan = restrictedPlan(input.plan, restriction);
  const { cache, ...others } = input;
  const key = cache === undefined ? undefined : cacheKey(decoded(plan));
  return { ...others, plan, ...(key === undefined ? {} : { cache: { key } }) } as Input;
}

export function restrictedSuggestions(
  input: ShardOperationInput<'suggest'>,
  { documents }: ReadRestriction,
): typeof input {
  if (documents !== undefined) throw refusedToReader("Suggest isn't supported if document level security is enabled");
  return input;
}

export function restrictedTermVectors(
  input: ShardOperationInput<'term-vectors'>,
  { documents }: ReadRestriction,
): typeof input {
  if (documents === undefined) return input;
  const plan = JSON.parse(Buffer.from(input.plan).toString('utf8')) as TermVectorsMembers;
  for (const [member, isAsked] of [
    ['term_statistics', plan.term_statistics],
    ['filter', plan.filter !== undefined],
  ] as const) {
    if (isAsked)
      throw refusedToReader(`[${member}] of term vectors isn't supported if document level security is enabled`);
  }
  const { document } = input;
  if ('source' in document) return input;
  return { ...input, document: { ...document, options: { ...document.options, realtime: false } } };
}

interface TermVectorsMembers {
  readonly term_statistics: boolean;
  readonly filter?: object;
}
