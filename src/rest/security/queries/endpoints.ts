/** `_security/_query`: users, roles and API keys by queries. What carries requests out is loaded by the first of them. */
import { defineEndpoint, type Endpoint } from '../../endpoint.js';
import { booleanParameter } from '../../parameters.js';
import { asksForLimits } from '../api-keys/own-only.js';
import { SECURITY_ENDPOINT } from '../common.js';

const SECURITY = 'cluster:admin/xpack/security';

const queryUsers = defineEndpoint({
  ...SECURITY_ENDPOINT,
  name: 'security.query_user',
  action: `${SECURITY}/user/query`,
  methods: ['GET', 'POST'],
  paths: ['/_security/_query/user'],
  parameters: { with_profile_uid: booleanParameter(false) },
  body: 'json',
  handle: async (request, context) => (await import('./query-records.js')).queryUsers(request, context),
});

const queryRoles = defineEndpoint({
  ...SECURITY_ENDPOINT,
  name: 'security.query_role',
  action: `${SECURITY}/role/query`,
  methods: ['GET', 'POST'],
  paths: ['/_security/_query/role'],
  parameters: {},
  body: 'json',
  handle: async (request, context) => (await import('./query-records.js')).queryRoles(request, context),
});

const queryApiKeys = defineEndpoint({
  ...SECURITY_ENDPOINT,
  name: 'security.query_api_keys',
  // Who may see those of others sees all of them.
  action: {
    name: `${SECURITY}/api_key/query`,
    of: ({ parameters }, subject) =>
      asksForLimits(parameters, subject) ? `${SECURITY}/api_key/query` : `${SECURITY}/api_key/own/query`,
  },
  methods: ['GET', 'POST'],
  paths: ['/_security/_query/api_key'],
  parameters: {
    with_limited_by: booleanParameter(false),
    with_profile_uid: booleanParameter(false),
    typed_keys: booleanParameter(false),
  },
  body: 'json',
  handle: async (request, context) => (await import('./query-records.js')).queryApiKeys(request, context),
});

export const QUERY_ENDPOINTS: readonly Endpoint[] = [queryApiKeys, queryRoles, queryUsers];
