/** What roles let through of the documents of an index: whole documents by queries, and their fields by name. */
import type { FieldSecurity } from './role-descriptor.js';

/** The names by which an index may be reached. */
export interface IndexNames {
  /** Of the index itself and of its data stream. */
  readonly own: readonly string[];
  readonly aliases: readonly string[];
}

/** Each list is a condition of its own, which one of its members has to meet; no list: there is no condition. */
export interface Restriction {
  /** Queries that a document passes: JSON, or templates of it. */
  readonly queries: readonly (readonly string[])[];
  /** Rules that let a field through. */
  readonly fields: readonly (readonly FieldSecurity[])[];
}

/** What one entry of a role lets through. */
export interface Share {
  readonly query: string | undefined;
  readonly fields: FieldSecurity | undefined;
}

/** What several entries let through together: one without a query lets all documents through. Undefined: everything. */
export function sharedBy(shares: readonly Share[]): Restriction | undefined {
  const queries = shares.flatMap(({ query }) => query ?? []);
  const fields = shares.flatMap((share) => share.fields ?? []);
  return meaningful({
    queries: queries.length < shares.length ? [] : [[...new Set(queries)]],
    fields: fields.length < shares.length ? [] : [fields],
  });
}

/** What all of them let through. */
export function commonTo(restrictions: readonly (Restriction | undefined)[]): Restriction | undefined {
  const real = restrictions.filter((restriction) => restriction !== undefined);
  return meaningful({
    queries: real.flatMap(({ queries }) => queries),
    fields: real.flatMap(({ fields }) => fields),
  });
}

function meaningful(restriction: Restriction): Restriction | undefined {
  return restriction.queries.length === 0 && restriction.fields.length === 0 ? undefined : restriction;
}
