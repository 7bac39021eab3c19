/** The table of all endpoints. A new one is added here and nowhere else. */
import type { Endpoint } from './endpoint.js';
import { info } from './info/main.js';

export const ENDPOINTS: readonly Endpoint[] = [info];
