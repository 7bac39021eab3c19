/** The table of query types. A new one is added here and nowhere else. */
import { boolQuery } from './bool-query.js';
import { boostingQuery } from './boosting-query.js';
import { combinedFieldsQuery } from './combined-fields-query.js';
import { constantScoreQuery } from './constant-score-query.js';
import { disMaxQuery } from './dis-max-query.js';
import { distanceFeatureQuery } from './distance-feature-query.js';
import { existsQuery } from './exists-query.js';
import { functionScoreQuery } from './function-score-query.js';
import { fuzzyQuery } from './fuzzy-query.js';
import { geoBoundingBoxQuery } from './geo-bounding-box-query.js';
import { geoDistanceQuery } from './geo-distance-query.js';
import { geoGridQuery } from './geo-grid-query.js';
import { geoPolygonQuery } from './geo-polygon-query.js';
import { geoShapeQuery } from './geo-shape-query.js';
import { idsQuery } from './ids-query.js';
import { intervalsQuery } from './intervals-query.js';
import { joinQueries } from './join-queries.js';
import { knnQuery } from './knn-query.js';
import { matchAllQuery, matchNoneQuery } from './match-all-query.js';
import { matchBoolPrefixQuery } from './match-bool-prefix-query.js';
import { matchPhrasePrefixQuery, matchPhraseQuery } from './match-phrase-query.js';
import { matchQuery } from './match-query.js';
import { moreLikeThisQuery } from './more-like-this-query.js';
import { multiMatchQuery } from './multi-match-query.js';
import { nestedQuery } from './nested-query.js';
import { prefixQuery, wildcardQuery } from './pattern-query.js';
import { percolateQuery } from './percolate-query.js';
import { pinnedQuery } from './pinned-query.js';
import type { QueryParser } from './query-parser.js';
import { queryStringQuery } from './query-string-query.js';
import { rangeQuery } from './range-query.js';
import { rankFeatureQuery } from './rank-feature-query.js';
import { regexpQuery } from './regexp-query.js';
import { scriptQuery } from './script-query.js';
import { scriptScoreQuery } from './script-score-query.js';
import { simpleQueryStringQuery } from './simple-query-string-query.js';
import { spanQueries } from './span-queries.js';
import { termQuery } from './term-query.js';
import { termsQuery } from './terms-query.js';
import { termsSetQuery } from './terms-set-query.js';
import { wrapperQuery } from './wrapper-query.js';

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
