/** `_security/api_key`. What carries requests out is loaded by the first of them: few nodes are asked. */
import { defineEndpoint, type Endpoint } from '../../endpoint.js';
import { booleanParameter, stringParameter } from '../../parameters.js';
import { refreshParameters, SECURITY_ENDPOINT } from '../common.js';
import { askedInBody, asksForLimits, isAboutOwn } from './own-only.js';

const API_KEY = 'cluster:admin/xpack/security/api_key';

const createApiKeyEndpoint = defineEndpoint({
  ...SECURITY_ENDPOINT,
  name: 'security.create_api_key',
  // Of the caller's own, always.
  action: { name: `${API_KEY}/create`, of: () => `${API_KEY}/own/create` },
  methods: ['PUT', 'POST'],
  paths: ['/_security/api_key'],
  parameters: refreshParameters,
  body: 'json',
  handle: async (request, context) => (await import('./create-keys.js')).createKey(request, context),
});

const grantApiKeyEndpoint = defineEndpoint({
  ...SECURITY_ENDPOINT,
  name: 'security.grant_api_key',
  action: `${API_KEY}/grant`,
  methods: ['POST'],
  paths: ['/_security/api_key/grant'],
  parameters: refreshParameters,
  body: 'json',
  handle: async (request, context) => (await import('./create-keys.js')).grantKey(request, context),
});

const cloneApiKeyEndpoint = defineEndpoint({
  ...SECURITY_ENDPOINT,
  name: 'security.clone_api_key',
  action: `${API_KEY}/clone`,
  methods: ['PUT', 'POST'],
  paths: ['/_security/api_key/clone'],
  parameters: refreshParameters,
  body: 'json',
  handle: async (request, context) => (await import('./create-keys.js')).cloneKey(request, context),
});

const updateApiKeyEndpoint = defineEndpoint({
  ...SECURITY_ENDPOINT,
  name: 'security.update_api_key',
  action: { name: `${API_KEY}/update`, of: () => `${API_KEY}/own/update` },
  methods: ['PUT'],
  paths: ['/_security/api_key/{id}'],
  parameters: refreshParameters,
  body: 'json',
  handle: async (request, context) => (await import('./change-keys.js')).updateKey(request.parts.id, request, context),
});

const bulkUpdateApiKeysEndpoint = defineEndpoint({
  ...SECURITY_ENDPOINT,
  name: 'security.bulk_update_api_keys',
  action: { name: `${API_KEY}/bulk_update`, of: () => `${API_KEY}/own/update` },
  methods: ['POST'],
  paths: ['/_security/api_key/_bulk_update'],
  parameters: refreshParameters,
  body: 'json',
  handle: async (request, context) => (await import('./change-keys.js')).updateKeys(request, context),
});

const invalidateApiKeyEndpoint = defineEndpoint({
  ...SECURITY_ENDPOINT,
  name: 'security.invalidate_api_key',
  action: {
    name: `${API_KEY}/invalidate`,
    of: ({ body }, subject) =>
      isAboutOwn(askedInBody(body.object()), subject) ? `${API_KEY}/own/invalidate` : `${API_KEY}/invalidate`,
  },
  methods: ['DELETE'],
  paths: ['/_security/api_key'],
  parameters: {},
  body: 'json',
  handle: async (request, context) => (await import('./change-keys.js')).invalidateKeys(request, context),
});

const getApiKeyEndpoint = defineEndpoint({
  ...SECURITY_ENDPOINT,
  name: 'security.get_api_key',
  action: {
    name: `${API_KEY}/get`,
    of: ({ parameters }, subject) => {
      const { id, owner, username, realm_name: realmName } = parameters;
      const asked = { ids: typeof id === 'string' ? [id] : [], isOwnOnly: owner === true, username, realmName };
      const isOwn = isAboutOwn(asked, subject) && !asksForLimits(parameters, subject);
      return isOwn ? `${API_KEY}/own/get` : `${API_KEY}/get`;
    },
  },
  methods: ['GET'],
  paths: ['/_security/api_key'],
  parameters: {
    id: stringParameter(),
    name: stringParameter(),
    realm_name: stringParameter(),
    username: stringParameter(),
    owner: booleanParameter(false),
    with_limited_by: booleanParameter(false),
    with_profile_uid: booleanParameter(false),
    active_only: booleanParameter(false),
  },
  body: 'none',
  handle: async (request, context) => (await import('./select-keys.js')).getKeys(request, context),
});

export const API_KEY_ENDPOINTS: readonly Endpoint[] = [
  bulkUpdateApiKeysEndpoint,
  cloneApiKeyEndpoint,
  createApiKeyEndpoint,
  getApiKeyEndpoint,
  grantApiKeyEndpoint,
  invalidateApiKeyEndpoint,
  updateApiKeyEndpoint,
];
