/** Endpoints that search. */
import type { Endpoint } from '../endpoint.js';
import { count } from './count.js';
import { search } from './search.js';

export const SEARCH_ENDPOINTS: readonly Endpoint[] = [count, search];
