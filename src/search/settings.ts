/** Settings of indices and of the node that bound a search; the caller reads them from the cluster state. */
export interface SearchSettings {
  /** `index.max_result_window` */
  readonly maxResultWindow: number;
  /** `index.max_terms_count` */
  readonly maxTermsCount: number;
  /** `index.max_docvalue_fields_search` */
  readonly maxDocvalueFields: number;
  /** `index.max_inner_result_window` */
  readonly maxInnerResultWindow: number;
  /** `index.max_script_fields` */
  readonly maxScriptFields: number;
  /** `index.max_regex_length` */
  readonly maxRegexLength: number;
  /** `index.max_rescore_window` */
  readonly maxRescoreWindow: number;
  /** `index.highlight.max_analyzed_offset` */
  readonly maxAnalyzedOffset: number;
  /** `index.max_slices_per_scroll` */
  readonly maxSlicesPerScroll: number;
  /** `index.max_slices_per_pit` */
  readonly maxSlicesPerPit: number;
  /** `index.query.default_field` */
  readonly defaultFields: readonly string[];
  /** `index.query_string.lenient` */
  readonly queryStringLenient: boolean;
  /** `indices.query.bool.max_clause_count` */
  readonly maxClauseCount: number;
  /** `indices.query.bool.max_nested_depth` */
  readonly maxNestedDepth: number;
  /** `search.max_buckets` */
  readonly maxBuckets: number;
  /** `indices.breaker.request.limit`: a size, or a share of memory such as `60%` */
  readonly requestBreakerLimit: string;
  /** `search.allow_expensive_queries` */
  readonly allowExpensiveQueries: boolean;
}

export const DEFAULT_SEARCH_SETTINGS: SearchSettings = {
  maxResultWindow: 10_000,
  maxTermsCount: 65_536,
  maxDocvalueFields: 100,
  maxInnerResultWindow: 100,
  maxScriptFields: 32,
  maxRegexLength: 1_000,
  maxRescoreWindow: 10_000,
  maxAnalyzedOffset: 1_000_000,
  maxSlicesPerScroll: 1_024,
  maxSlicesPerPit: 1_024,
  defaultFields: ['*'],
  queryStringLenient: false,
  maxClauseCount: 1_024,
  maxNestedDepth: 30,
  maxBuckets: 65_535,
  requestBreakerLimit: '60%',
  allowExpensiveQueries: true,
};
