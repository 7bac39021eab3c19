/** Texts of queries that documents hold, on their way from the shard, and their plans, on their way to it. */

/** Texts of stored queries that have no plan, each JSON of an object. */
export interface UnplannedTexts {
  /** Of the document that the batch stopped at; it waits for the plans of all of them. */
  readonly at_hand: readonly string[];
  /** Of documents after it, which the batch may write others before. */
  readonly later: readonly string[];
}

/** What was made of texts of stored queries. */
export interface PlannedQueries {
  /** `indices.query.bool.max_clause_count` */
  readonly max_clauses: number;
  readonly plans: readonly PlannedText[];
  /** Those with values that were fetched from other documents; the shard has them until `forgetFetchedPlans`. */
  readonly fetched: readonly PlannedText[];
}

/** Text and plan, both JSON. */
export type PlannedText = readonly [string, string];
