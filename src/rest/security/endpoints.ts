/** The endpoints of security. A node on which it is off refuses them. */
import type { Endpoint } from '../endpoint.js';
import { authenticateEndpoint } from './authenticate.js';
import { changePasswordEndpoint } from './change-password.js';
import { PRIVILEGE_ENDPOINTS } from './privileges/endpoints.js';
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
