/** `_security/oauth2/token`. What carries requests out is loaded by the first of them. */
import { defineEndpoint, type Endpoint } from '../../endpoint.js';
import { SECURITY_ENDPOINT } from '../common.js';

const TOKEN = 'cluster:admin/xpack/security/token';

const getTokenEndpoint = defineEndpoint({
  ...SECURITY_ENDPOINT,
  name: 'security.get_token',
  action: `${TOKEN}/create`,
  methods: ['POST'],
  paths: ['/_security/oauth2/token'],
  parameters: {},
  body: 'json',
  handle: async (request, context) => (await import('./bearer-tokens.js')).giveToken(request, context),
});

const invalidateTokenEndpoint = defineEndpoint({
  ...SECURITY_ENDPOINT,
  name: 'security.invalidate_token',
  action: `${TOKEN}/invalidate`,
  methods: ['DELETE'],
  paths: ['/_security/oauth2/token'],
  parameters: {},
  body: 'json',
  handle: async (request, context) => (await import('./bearer-tokens.js')).invalidateTokens(request, context),
});

export const TOKEN_ENDPOINTS: readonly Endpoint[] = [getTokenEndpoint, invalidateTokenEndpoint];
