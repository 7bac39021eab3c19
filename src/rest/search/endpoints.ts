/** Endpoints that search. */
import type { Endpoint } from '../endpoint.js';
import { submitAsyncSearch } from './async-search.js';
import { asyncSearchStatus, deleteAsyncSearch, getAsyncSearch } from './async-search-by-id.js';
import { count } from './count.js';
import { explain } from './explain.js';
import { fieldCaps } from './field-caps.js';
import { msearch } from './msearch.js';
import { msearchTemplate } from './msearch-template.js';
import { closePointInTime, createPit, deleteAllPits, deletePit, getAllPits, openPointInTime } from './point-in-time.js';
import { rankEval } from './rank-eval.js';
import { renderTemplateEndpoint } from './render-template.js';
import { clearScroll, scroll } from './scroll.js';
import { searchShards } from './search-shards.js';
import { multiTermVectors, termVectors } from './term-vectors.js';
import { termsEnumEndpoint } from './terms-enum.js';
import { search } from './search.js';
import { searchTemplate } from './search-template.js';
import { validateQuery } from './validate-query.js';

export const SEARCH_ENDPOINTS: readonly Endpoint[] = [
  asyncSearchStatus,
  clearScroll,
  closePointInTime,
  count,
  createPit,
  deleteAllPits,
  deleteAsyncSearch,
  deletePit,
  explain,
  fieldCaps,
  getAllPits,
  getAsyncSearch,
  msearch,
  msearchTemplate,
  openPointInTime,
  rankEval,
  renderTemplateEndpoint,
  scroll,
  search,
  searchShards,
  searchTemplate,
  submitAsyncSearch,
  multiTermVectors,
  termVectors,
  termsEnumEndpoint,
  validateQuery,
];
