/** What requests change about security, as the audit log tells it: what is known not to be secret. */
import type { JsonObject } from '../../../base/json-value.js';
import * as bodies from './change-bodies.js';
import type { Shown } from './shown-members.js';
import type { WitnessedRequest } from './witness.js';

export interface ConfigChange {
  /** The reference's name of it. */
  readonly action: string;
  /** `put`, `delete`, `change`, `create`, `invalidate`: what becomes of what. */
  readonly verb: string;
  readonly what: JsonObject;
}

type Reader = (parts: WitnessedRequest['parts'], body: JsonObject) => ConfigChange;

/** Of a change as JSON; of a longer one only its length is told. */
const LENGTH_MAX = 64 * 1024;

const named = (action: string, verb: string, kind: string, part: string, shown: Shown): Reader => {
  return (parts, body) => {
    const name = { name: parts[part] ?? null };
    // First of all, and nothing that the body calls so.
    return { action, verb, what: { [kind]: { ...name, ...shownBody(shown, body), ...name } } };
  };
};

const enabling =
  (action: string, enabled: boolean): Reader =>
  ({ username = null }) => ({
    action,
    verb: 'change',
    what: { [enabled ? 'enable' : 'disable']: { user: { name: username } } },
  });

/** By the API's names of the endpoints. */
const CHANGES: Readonly<Record<string, Reader>> = {
  'security.put_user': named('put_user', 'put', 'user', 'username', bodies.user),
  'security.delete_user': named('delete_user', 'delete', 'user', 'username', bodies.nothing),
  'security.enable_user': enabling('change_enable_user', true),
  'security.disable_user': enabling('change_disable_user', false),
  'security.change_password': ({ username = null }) => ({
    action: 'change_password',
    verb: 'change',
    what: { password: { user: { name: username } } },
  }),
  'security.put_role': named('put_role', 'put', 'role', 'name', bodies.role),
  'security.delete_role': named('delete_role', 'delete', 'role', 'name', bodies.nothing),
  'security.put_role_mapping': named('put_role_mapping', 'put', 'role_mapping', 'name', bodies.roleMapping),
  'security.delete_role_mapping': named('delete_role_mapping', 'delete', 'role_mapping', 'name', bodies.nothing),
  'security.put_privileges': (_parts, body) => ({
    action: 'put_privileges',
    verb: 'put',
    what: { privileges: shownBody(bodies.privileges, body) },
  }),
  'security.delete_privileges': ({ application = null, name = null }) => ({
    action: 'delete_privileges',
    verb: 'delete',
    what: { privileges: { application, privileges: name } },
  }),
  'security.create_api_key': (_parts, body) => created('create_apikey', { apikey: shownBody(bodies.apiKey, body) }),
  'security.grant_api_key': (_parts, body) => created('create_apikey', { apikey: shownBody(bodies.grant, body) }),
  'security.clone_api_key': (_parts, body) => created('create_apikey', { apikey: shownBody(bodies.apiKey, body) }),
  'security.update_api_key': named('change_apikey', 'change', 'apikey', 'id', bodies.apiKey),
  'security.bulk_update_api_keys': (_parts, body) => ({
    action: 'change_apikeys',
    verb: 'change',
    what: { apikeys: shownBody(bodies.keysUpdate, body) },
  }),
  'security.invalidate_api_key': (_parts, body) => ({
    action: 'invalidate_apikeys',
    verb: 'invalidate',
    what: { apikeys: shownBody(bodies.keySelection, body) },
  }),
  'security.invalidate_token': (_parts, body) => ({
    action: 'invalidate_token',
    verb: 'invalidate',
    what: { token: shownBody(bodies.tokenSelection, body) },
  }),
  'security.create_service_token': ({ namespace, service, name = null }) =>
    created('create_service_token', { service_token: { namespace, service, name } }),
  'security.delete_service_token': ({ namespace, service, name = null }) => ({
    action: 'delete_service_token',
    verb: 'delete',
    what: { service_token: { namespace, service, name } },
  }),
  'security.activate_user_profile': (_parts, body) => ({
    action: 'activate_user_profile',
    verb: 'put',
    what: { user_profile: shownBody(bodies.profile, body) },
  }),
  'security.update_user_profile_data': ({ uid = null }) => ({
    action: 'update_user_profile_data',
    verb: 'put',
    what: { user_profile_data: { uid } },
  }),
  'security.enable_user_profile': ({ uid = null }) => ({
    action: 'change_enable_user_profile',
    verb: 'change',
    what: { enable: { user_profile: { uid } } },
  }),
  'security.disable_user_profile': ({ uid = null }) => ({
    action: 'change_disable_user_profile',
    verb: 'change',
    what: { disable: { user_profile: { uid } } },
  }),
  'security.enroll_node': () => created('enroll_node', { node: {} }),
};

function created(action: string, what: JsonObject): ConfigChange {
  return { action, verb: 'create', what };
}

/** `sender`: whose own password changes where nobody is named. Undefined for what changes nothing about security. */
export function configChange(endpoint: string, request: WitnessedRequest, sender: string): ConfigChange | undefined {
  const read = Object.hasOwn(CHANGES, endpoint) ? CHANGES[endpoint] : undefined;
  if (read === undefined) return undefined;
  const parts =
    endpoint === 'security.change_password'
      ? { ...request.parts, username: request.parts['username'] ?? sender }
      : request.parts;
  const change = read(parts, bodyOf(request) ?? {});
  const { length } = JSON.stringify(change.what);
  return length <= LENGTH_MAX ? change : { ...change, what: { characters: length } };
}

function bodyOf({ body }: WitnessedRequest): JsonObject | undefined {
  try {
    return body.object();
  } catch {
    return undefined;
  }
}

/** Whether there was a password is told, and neither it nor its hash. */
function shownBody(shown: Shown, body: JsonObject): JsonObject {
  const { password, password_hash: hash, ...others } = body;
  const hasPassword = password !== undefined || hash !== undefined;
  return { ...(shown(others) as JsonObject), ...(hasPassword ? { has_password: true } : {}) };
}
