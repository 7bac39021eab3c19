/** The endpoints that change many documents by what a search finds. */
import type { Endpoint } from '../endpoint.js';
import { deleteByQueryEndpoint } from './delete-by-query.js';
import { reindexEndpoint } from './reindex.js';
import { RETHROTTLE_ENDPOINTS } from './rethrottle.js';
import { updateByQueryEndpoint } from './update-by-query.js';

export const BY_QUERY_ENDPOINTS: readonly Endpoint[] = [
  deleteByQueryEndpoint,
  reindexEndpoint,
  updateByQueryEndpoint,
  ...RETHROTTLE_ENDPOINTS,
];
