/** The endpoints of snapshot lifecycle management. */
import type { Endpoint } from '../endpoint.js';
import {
  executeSlmPolicyEndpoint,
  executeSlmRetentionEndpoint,
  slmStatusEndpoint,
  startSlmEndpoint,
  stopSlmEndpoint,
} from './operate.js';
import { deleteSlmPolicyEndpoint, getSlmPolicyEndpoint, putSlmPolicyEndpoint } from './policy.js';
import { slmStatsEndpoint } from './stats.js';

export const SLM_ENDPOINTS: readonly Endpoint[] = [
  deleteSlmPolicyEndpoint,
  executeSlmPolicyEndpoint,
  executeSlmRetentionEndpoint,
  getSlmPolicyEndpoint,
  putSlmPolicyEndpoint,
  slmStatsEndpoint,
  slmStatusEndpoint,
  startSlmEndpoint,
  stopSlmEndpoint,
];
