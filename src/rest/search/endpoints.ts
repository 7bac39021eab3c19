/** Endpoints that search. */
import type { Endpoint } from '../endpoint.js';
import { count } from './count.js';
import { explain } from './explain.js';
import { msearch } from './msearch.js';
import { search } from './search.js';
import { validateQuery } from './validate-query.js';

export const SEARCH_ENDPOINTS: readonly Endpoint[] = [count, explain, msearch, search, validateQuery];
