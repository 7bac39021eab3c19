/** The table of query types. A new one is added here and nowhere else. */
import { boolQuery } from './bool-query.js';
import { boostingQuery } from './boosting-query.js';
import { constantScoreQuery } from './constant-score-query.js';
import { disMaxQuery } from './dis-max-query.js';
import { existsQuery } from './exists-query.js';
import { fuzzyQuery } from './fuzzy-query.js';
import { idsQuery } from './ids-query.js';
import { matchAllQuery, matchNoneQuery } from './match-all-query.js';
import { matchBoolPrefixQuery } from './match-bool-prefix-query.js';
import { matchPhrasePrefixQuery, matchPhraseQuery } from './match-phrase-query.js';
import { matchQuery } from './match-query.js';
import { multiMatchQuery } from './multi-match-query.js';
import { prefixQuery, wildcardQuery } from './pattern-query.js';
import type { QueryParser } from './query-parser.js';
import { queryStringQuery } from './query-string-query.js';
import { rangeQuery } from './range-query.js';
import { regexpQuery } from './regexp-query.js';
import { simpleQueryStringQuery } from './simple-query-string-query.js';
import { termQuery } from './term-query.js';
import { termsQuery } from './terms-query.js';
import { wrapperQuery } from './wrapper-query.js';

const PARSERS: readonly QueryParser[] = [
  boolQuery,
  boostingQuery,
  constantScoreQuery,
  disMaxQuery,
  existsQuery,
  fuzzyQuery,
  idsQuery,
  matchAllQuery,
  matchBoolPrefixQuery,
  matchNoneQuery,
  matchPhrasePrefixQuery,
  matchPhraseQuery,
  matchQuery,
  multiMatchQuery,
  prefixQuery,
  queryStringQuery,
  rangeQuery,
  regexpQuery,
  simpleQueryStringQuery,
  termQuery,
  termsQuery,
  wildcardQuery,
  wrapperQuery,
];

export const QUERY_PARSERS: ReadonlyMap<string, QueryParser> = new Map(PARSERS.map((parser) => [parser.name, parser]));

/** Query types of the API that are refused by name until they are there. */
export const UNSUPPORTED_QUERIES: ReadonlySet<string> = new Set([
  'combined_fields',
  'common',
  'distance_feature',
  'function_score',
  'geo_bounding_box',
  'geo_distance',
  'geo_polygon',
  'geo_shape',
  'has_child',
  'has_parent',
  'hybrid',
  'intervals',
  'knn',
  'more_like_this',
  'nested',
  'parent_id',
  'percolate',
  'pinned',
  'rank_feature',
  'rule',
  'script',
  'script_score',
  'semantic',
  'shape',
  'span_containing',
  'span_first',
  'span_multi',
  'span_near',
  'span_not',
  'span_or',
  'span_term',
  'span_within',
  'sparse_vector',
  'terms_set',
  'text_expansion',
  'weighted_tokens',
]);
