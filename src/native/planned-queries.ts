/** Plans of queries that documents hold, on their way to the shard. */

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
