/** What may be done, and who may do it. */
import type { Endpoint } from '../../endpoint.js';
import {
  clearCachedPrivilegesEndpoint,
  deletePrivilegesEndpoint,
  getPrivilegesEndpoint,
  putPrivilegesEndpoint,
} from './application-privileges.js';
import { hasPrivilegesEndpoint } from './has-privileges.js';
import { builtinPrivilegesEndpoint, userPrivilegesEndpoint } from './known-privileges.js';

export const PRIVILEGE_ENDPOINTS: readonly Endpoint[] = [
  builtinPrivilegesEndpoint,
  clearCachedPrivilegesEndpoint,
  deletePrivilegesEndpoint,
  getPrivilegesEndpoint,
  hasPrivilegesEndpoint,
  putPrivilegesEndpoint,
  userPrivilegesEndpoint,
];
