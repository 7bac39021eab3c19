/** The endpoints of lifecycle policies. */
import type { Endpoint } from '../endpoint.js';
import { explainPolicyEndpoint } from './explain.js';
import {
  moveEndpoint,
  removePolicyEndpoint,
  retryEndpoint,
  startEndpoint,
  statusEndpoint,
  stopEndpoint,
} from './operate.js';
import { deletePolicyEndpoint, getPolicyEndpoint, putPolicyEndpoint } from './policy.js';

export const LIFECYCLE_ENDPOINTS: readonly Endpoint[] = [
  deletePolicyEndpoint,
  explainPolicyEndpoint,
  getPolicyEndpoint,
  moveEndpoint,
  putPolicyEndpoint,
  removePolicyEndpoint,
  retryEndpoint,
  startEndpoint,
  statusEndpoint,
  stopEndpoint,
];
