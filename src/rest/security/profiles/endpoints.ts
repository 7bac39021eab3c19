/** `_security/profile`. What carries requests out is loaded by the first of them. */
import { defineEndpoint, type Endpoint } from '../../endpoint.js';
import { listParameter, longParameter } from '../../parameters.js';
import { refreshParameters, SECURITY_ENDPOINT } from '../common.js';

const PROFILE = 'cluster:admin/xpack/security/profile';
const ONE = '/_security/profile/{uid}';

const activate = defineEndpoint({
  ...SECURITY_ENDPOINT,
  name: 'security.activate_user_profile',
  action: `${PROFILE}/activate`,
  methods: ['POST'],
  paths: ['/_security/profile/_activate'],
  parameters: {},
  body: 'json',
  handle: async (request, context) => (await import('./change-profiles.js')).activateProfile(request, context),
});

const get = defineEndpoint({
  ...SECURITY_ENDPOINT,
  name: 'security.get_user_profile',
  action: `${PROFILE}/get`,
  methods: ['GET'],
  paths: [ONE],
  parameters: { data: listParameter() },
  body: 'none',
  handle: async ({ parts, parameters }, context) =>
    (await import('./read-profiles.js')).getProfiles(parts.uid, parameters.data, context),
});

const update = defineEndpoint({
  ...SECURITY_ENDPOINT,
  name: 'security.update_user_profile_data',
  action: `${PROFILE}/put/data`,
  methods: ['PUT', 'POST'],
  paths: [`${ONE}/_data`],
  parameters: { ...refreshParameters, if_seq_no: longParameter(), if_primary_term: longParameter() },
  body: 'json',
  handle: async ({ parts, parameters, body }, context) =>
    (await import('./change-profiles.js')).updateProfile(parts.uid, parameters, body.requireObject(), context),
});

const enabling = (enabled: boolean): Endpoint =>
  defineEndpoint({
    ...SECURITY_ENDPOINT,
    name: enabled ? 'security.enable_user_profile' : 'security.disable_user_profile',
    action: `${PROFILE}/set_enabled`,
    methods: ['PUT', 'POST'],
    paths: [enabled ? `${ONE}/_enable` : `${ONE}/_disable`],
    parameters: refreshParameters,
    body: 'none',
    handle: async ({ parts }, context) =>
      (await import('./change-profiles.js')).enableProfile(parts.uid, enabled, context),
  });

const suggest = defineEndpoint({
  ...SECURITY_ENDPOINT,
  name: 'security.suggest_user_profiles',
  action: `${PROFILE}/suggest`,
  methods: ['GET', 'POST'],
  paths: ['/_security/profile/_suggest'],
  parameters: { data: listParameter() },
  body: 'json',
  handle: async ({ parameters, body }, context) =>
    (await import('./read-profiles.js')).suggestProfiles(parameters.data, body.object() ?? {}, context),
});

const hasPrivileges = defineEndpoint({
  ...SECURITY_ENDPOINT,
  name: 'security.has_privileges_user_profile',
  action: `${PROFILE}/has_privileges`,
  methods: ['GET', 'POST'],
  paths: ['/_security/profile/_has_privileges'],
  parameters: {},
  body: 'json',
  handle: async ({ body }, context) =>
    (await import('./profile-privileges.js')).profilePrivileges(body.requireObject(), context),
});

export const PROFILE_ENDPOINTS: readonly Endpoint[] = [
  activate,
  get,
  update,
  enabling(true),
  enabling(false),
  suggest,
  hasPrivileges,
];
