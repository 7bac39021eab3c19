/** The endpoints of security. A node on which it is off refuses them. */
import type { Endpoint } from '../endpoint.js';
import { authenticateEndpoint } from './authenticate.js';
import { changePasswordEndpoint } from './change-password.js';
import { PRIVILEGE_ENDPOINTS } from './privileges/endpoints.js';
import { getTokenEndpoint, invalidateTokenEndpoint } from './bearer-tokens.js';
import { bulkUpdateApiKeysEndpoint, invalidateApiKeyEndpoint, updateApiKeyEndpoint } from './change-api-keys.js';
import {
  clearApiKeyCacheEndpoint,
  clearRealmCacheEndpoint,
  clearRoleCacheEndpoint,
  clearServiceTokenCacheEndpoint,
} from './clear-caches.js';
import { createApiKeyEndpoint, grantApiKeyEndpoint } from './create-api-key.js';
import { getApiKeyEndpoint } from './get-api-keys.js';
import {
  createServiceTokenEndpoint,
  deleteServiceTokenEndpoint,
  getServiceAccountsEndpoint,
  serviceCredentialsEndpoint,
} from './service-accounts.js';
import { deleteRoleMappingEndpoint, getRoleMappingEndpoint, putRoleMappingEndpoint } from './role-mapping.js';
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
  bulkUpdateApiKeysEndpoint,
  clearApiKeyCacheEndpoint,
  clearRealmCacheEndpoint,
  clearRoleCacheEndpoint,
  clearServiceTokenCacheEndpoint,
  createApiKeyEndpoint,
  createServiceTokenEndpoint,
  deleteServiceTokenEndpoint,
  getApiKeyEndpoint,
  getServiceAccountsEndpoint,
  getTokenEndpoint,
  grantApiKeyEndpoint,
  invalidateApiKeyEndpoint,
  invalidateTokenEndpoint,
  serviceCredentialsEndpoint,
  updateApiKeyEndpoint,
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
  ...PRIVILEGE_ENDPOINTS,
];
