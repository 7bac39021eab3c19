/** The table of query types. A new one is added here and nowhere else. */
import { boolQuery } from './compound/bool-query.js';
import { boostingQuery } from './compound/boosting-query.js';
import { combinedFieldsQuery } from './full-text/combined-fields-query.js';
import { constantScoreQuery } from './compound/constant-score-query.js';
import { disMaxQuery } from './compound/dis-max-query.js';
import { distanceFeatureQuery } from './specialized/distance-feature-query.js';
import { existsQuery } from './term-level/exists-query.js';
import { functionScoreQuery } from './compound/function-score-query.js';
import { fuzzyQuery } from './term-level/fuzzy-query.js';
import { geoBoundingBoxQuery } from './geo/geo-bounding-box-query.js';
import { geoDistanceQuery } from './geo/geo-distance-query.js';
import { geoGridQuery } from './geo/geo-grid-query.js';
import { geoPolygonQuery } from './geo/geo-polygon-query.js';
import { geoShapeQuery } from './geo/geo-shape-query.js';
import { idsQuery } from './term-level/ids-query.js';
import { intervalsQuery } from './positional/intervals-query.js';
import { joinQueries } from './joining/join-queries.js';
import { knnQuery } from './specialized/knn-query.js';
import { matchAllQuery, matchNoneQuery } from './match-all-query.js';
import { matchBoolPrefixQuery } from './full-text/match-bool-prefix-query.js';
import { matchPhrasePrefixQuery, matchPhraseQuery } from './full-text/match-phrase-query.js';
import { matchQuery } from './full-text/match-query.js';
import { moreLikeThisQuery } from './specialized/more-like-this-query.js';
import { multiMatchQuery } from './full-text/multi-match-query.js';
import { nestedQuery } from './joining/nested-query.js';
import { prefixQuery, wildcardQuery } from './term-level/pattern-query.js';
import { percolateQuery } from './specialized/percolate-query.js';
import { pinnedQuery } from './compound/pinned-query.js';
import type { QueryParser } from './query-parser.js';
import { queryStringQuery } from './full-text/query-string-query.js';
import { rangeQuery } from './term-level/range-query.js';
import { rankFeatureQuery } from './specialized/rank-feature-query.js';
import { regexpQuery } from './term-level/regexp-query.js';
import { scriptQuery } from './specialized/script-query.js';
import { scriptScoreQuery } from './compound/script-score-query.js';
import { simpleQueryStringQuery } from './full-text/simple-query-string-query.js';
import { spanQueries } from './positional/span-queries.js';
import { termQuery } from './term-level/term-query.js';
import { termsQuery } from './term-level/terms-query.js';
import { termsSetQuery } from './term-level/terms-set-query.js';
import { wrapperQuery } from './compound/wrapper-query.js';

const PARSERS: readonly QueryParser[] = [
  boolQuery,
  boostingQuery,
  combinedFieldsQuery,
  constantScoreQuery,
  disMaxQuery,
  distanceFeatureQuery,
  existsQuery,
  functionScoreQuery,
  fuzzyQuery,
  geoBoundingBoxQuery,
  geoDistanceQuery,
  geoGridQuery,
  geoPolygonQuery,
  geoShapeQuery,
  idsQuery,
  intervalsQuery,
  ...joinQueries,
  knnQuery,
  matchAllQuery,
  matchBoolPrefixQuery,
  matchNoneQuery,
  matchPhrasePrefixQuery,
  matchPhraseQuery,
  matchQuery,
  moreLikeThisQuery,
  multiMatchQuery,
  nestedQuery,
  percolateQuery,
  pinnedQuery,
  prefixQuery,
  queryStringQuery,
  rangeQuery,
  rankFeatureQuery,
  regexpQuery,
  scriptQuery,
  scriptScoreQuery,
  simpleQueryStringQuery,
  termQuery,
  termsQuery,
  termsSetQuery,
  ...spanQueries,
  wildcardQuery,
  wrapperQuery,
];

export const QUERY_PARSERS: ReadonlyMap<string, QueryParser> = new Map(PARSERS.map((parser) => [parser.name, parser]));

/** Query types of the API that are refused by name until they are there. */
export const UNSUPPORTED_QUERIES: ReadonlySet<string> = new Set([
  'common',
  'hybrid',
  'rule',
  'semantic',
  'shape',
  'sparse_vector',
  'text_expansion',
  'weighted_tokens',
]);
