/** The endpoint that monitoring systems scrape. */
import type { Endpoint } from '../endpoint.js';
import { metricsEndpoint } from './prometheus.js';

export const METRICS_ENDPOINTS: readonly Endpoint[] = [metricsEndpoint];
