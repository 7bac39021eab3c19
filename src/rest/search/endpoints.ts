/** Endpoints that search. */
import type { Endpoint } from '../endpoint.js';
import { count } from './count.js';
import { explain } from './explain.js';
import { fieldCaps } from './field-caps.js';
import { msearch } from './msearch.js';
import { closePointInTime, createPit, deleteAllPits, deletePit, getAllPits, openPointInTime } from './point-in-time.js';
import { clearScroll, scroll } from './scroll.js';
import { searchShards } from './search-shards.js';
import { multiTermVectors, termVectors } from './term-vectors.js';
import { search } from './search.js';
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
  openPointInTime,
  scroll,
  search,
  searchShards,
  multiTermVectors,
  termVectors,
  validateQuery,
];
