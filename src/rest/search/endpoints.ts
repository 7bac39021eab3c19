/** Endpoints that search. */
import type { Endpoint } from '../endpoint.js';
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
import { search } from './search.js';
import { searchTemplate } from './search-template.js';
import { validateQuery } from './validate-query.js';

export const SEARCH_ENDPOINTS: readonly Endpoint[] = [
  clearScroll,
  closePointInTime,
  count,
  createPit,
  deleteAllPits,
  deletePit,
  explain,
  fieldCaps,
  getAllPits,
  msearch,
  msearchTemplate,
  openPointInTime,
  rankEval,
  renderTemplateEndpoint,
  scroll,
  search,
  searchShards,
  searchTemplate,
  multiTermVectors,
  termVectors,
  validateQuery,
];
