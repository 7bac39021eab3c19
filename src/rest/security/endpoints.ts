/** The endpoints of security. A node on which it is off refuses them. */
import type { Endpoint } from '../endpoint.js';
import { API_KEY_ENDPOINTS } from './api-keys/endpoints.js';
import { authenticateEndpoint } from './authenticate.js';
import { changePasswordEndpoint } from './change-password.js';
import { PRIVILEGE_ENDPOINTS } from './privileges/endpoints.js';
import {
  clearApiKeyCacheEndpoint,
  clearRealmCacheEndpoint,
  clearRoleCacheEndpoint,
  clearServiceTokenCacheEndpoint,
} from './clear-caches.js';
import {
  createServiceTokenEndpoint,
  deleteServiceTokenEndpoint,
  getServiceAccountsEndpoint,
  serviceCredentialsEndpoint,
} from './service-accounts.js';
import { deleteRoleMappingEndpoint, getRoleMappingEndpoint, putRoleMappingEndpoint } from './role-mapping.js';
import { enrolNodeEndpoint } from './enrol-node-endpoint.js';
import { PROFILE_ENDPOINTS } from './profiles/endpoints.js';
import { QUERY_ENDPOINTS } from './queries/endpoints.js';
import { TOKEN_ENDPOINTS } from './tokens/endpoints.js';
import { deleteRoleEndpoint, getRoleEndpoint, putRoleEndpoint } from './role.js';
import {
  deleteUserEndpoint,
  disableUserEndpoint,
  enableUserEndpoint,
  getUserEndpoint,
  putUserEndpoint,
} from './user.js';

export const SECURITY_ENDPOINTS: readonly Endpoint[] = [
  authenticateEndpoint,
  clearApiKeyCacheEndpoint,
  clearRealmCacheEndpoint,
  clearRoleCacheEndpoint,
  clearServiceTokenCacheEndpoint,
  createServiceTokenEndpoint,
  deleteServiceTokenEndpoint,
  getServiceAccountsEndpoint,
  serviceCredentialsEndpoint,
  changePasswordEndpoint,
  deleteRoleEndpoint,
  deleteRoleMappingEndpoint,
  deleteUserEndpoint,
  disableUserEndpoint,
  enableUserEndpoint,
  getRoleEndpoint,
  getRoleMappingEndpoint,
  getUserEndpoint,
  putRoleEndpoint,
  putRoleMappingEndpoint,
  putUserEndpoint,
  ...API_KEY_ENDPOINTS,
  enrolNodeEndpoint,
  ...PROFILE_ENDPOINTS,
  ...QUERY_ENDPOINTS,
  ...TOKEN_ENDPOINTS,
  ...PRIVILEGE_ENDPOINTS,
];
