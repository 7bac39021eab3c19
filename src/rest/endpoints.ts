/** The table of all endpoints. A new one is added here, or to the table of its family, and nowhere else. */
import type { Endpoint } from './endpoint.js';
import { CLUSTER_ENDPOINTS } from './cluster/endpoints.js';
import { INDICES_ENDPOINTS } from './indices/endpoints.js';
import { info } from './info/main.js';

export const ENDPOINTS: readonly Endpoint[] = [info, ...CLUSTER_ENDPOINTS, ...INDICES_ENDPOINTS];
