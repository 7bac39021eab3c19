/** `_security/user`: native users; of reserved ones only what is shown. */
import type { ActionContext } from '../../actions/context.js';
import { passwordFaults } from '../../actions/security/password-faults.js';
import { illegalArgument } from '../../base/errors.js';
import type { JsonObject } from '../../base/json-value.js';
import { ADMIN, NATIVE_REALM, RESERVED_REALM, RESERVED_USERS } from '../../cluster/security/realms.js';
import type { NativeUser, SecurityState } from '../../cluster/security/security-state.js';
import { profileOf } from '../../cluster/security/user-profiles.js';
import { answerValue } from '../answer.js';
import { defineEndpoint } from '../endpoint.js';
import { booleanParameter, splitList } from '../parameters.js';
import { BodyMembers, metadataFaults } from './body-members.js';
import { refreshParameters, refuseInvalid, SECURITY_ENDPOINT } from './common.js';
import { checkPasswordHash, nameFaults } from './names.js';

export const putUserEndpoint = defineEndpoint({
  ...SECURITY_ENDPOINT,
  name: 'security.put_user',
  action: 'cluster:admin/xpack/security/user/put',
  methods: ['PUT', 'POST'],
  paths: ['/_security/user/{username}'],
  parameters: refreshParameters,
  body: 'json',
  async handle({ parts: { username }, body }, context) {
    const { user, password, passwordHash: given } = readUser(username, body.requireObject());
    refuseReserved(username, context);
    const isNew = !context.clusterState().users.has(username);
    const isWithout = isNew && password === undefined && given === undefined;
    refuseInvalid(
      [
        ...nameFaults('User', username),
        ...passwordFaults(password),
        ...(isWithout ? ['password must be specified unless you are updating an existing user'] : []),
      ],
      'validation_exception',
    );
    const passwordHash = password === undefined ? given : await context.security.hashPassword(password);
    const input = { username, user, ...(passwordHash === undefined ? {} : { passwordHash }) };
    return answerValue(await context.coordinator.submit('put-user', input));
  },
});

export const getUserEndpoint = defineEndpoint({
  ...SECURITY_ENDPOINT,
  name: 'security.get_user',
  action: 'cluster:admin/xpack/security/user/get',
  methods: ['GET'],
  paths: ['/_security/user', '/_security/user/{username}'],
  parameters: { with_profile_uid: booleanParameter(false) },
  body: 'none',
  handle({ parts, parameters }, context) {
    const state = context.clusterState();
    const names = parts.username === undefined ? undefined : splitList(parts.username);
    const wanted = names ?? [...RESERVED_USERS.keys(), ...state.users.keys()];
    const found = wanted.flatMap((name) => {
      const shown = renderUser(name, state, parameters.with_profile_uid);
      return shown === undefined ? [] : [[name, shown] as const];
    });
    return answerValue(Object.fromEntries(found), names !== undefined && found.length === 0 ? 404 : 200);
  },
});

export const deleteUserEndpoint = defineEndpoint({
  ...SECURITY_ENDPOINT,
  name: 'security.delete_user',
  action: 'cluster:admin/xpack/security/user/delete',
  methods: ['DELETE'],
  paths: ['/_security/user/{username}'],
  parameters: refreshParameters,
  body: 'none',
  async handle({ parts: { username } }, context) {
    if (RESERVED_USERS.has(username)) throw illegalArgument(`user [${username}] is reserved and cannot be deleted`);
    const result = await context.coordinator.submit('delete-user', { username });
    return answerValue(result, result.found ? 200 : 404);
  },
});

const enabling = (enabled: boolean): ReturnType<typeof defineEndpoint> =>
  defineEndpoint({
    ...SECURITY_ENDPOINT,
    name: enabled ? 'security.enable_user' : 'security.disable_user',
    action: 'cluster:admin/xpack/security/user/set_enabled',
    methods: ['PUT', 'POST'],
    paths: [enabled ? '/_security/user/{username}/_enable' : '/_security/user/{username}/_disable'],
    parameters: refreshParameters,
    body: 'none',
    async handle({ parts: { username } }, context) {
      if (context.subject?.username === username) {
        throw illegalArgument('users may not update the enabled status of their own account');
      }
      const command = RESERVED_USERS.has(username) ? 'set-reserved-enabled' : 'set-user-enabled';
      await context.coordinator.submit(command, { username, enabled });
      return answerValue({});
    },
  });

export const enableUserEndpoint = enabling(true);
export const disableUserEndpoint = enabling(false);

interface ReadUser {
  readonly user: Omit<NativeUser, 'id' | 'passwordHash'>;
  readonly password: string | undefined;
  readonly passwordHash: string | undefined;
}

function readUser(username: string, body: JsonObject): ReadUser {
  const members = new BodyMembers(body, 'add user request');
  const password = members.string('password');
  const passwordHash = members.string('password_hash');
  const named = members.string('username') ?? username;
  const roles = members.strings('roles', 'separated');
  const user = {
    fullName: members.optionalText('full_name'),
    email: members.optionalText('email'),
    metadata: members.object('metadata') ?? {},
    enabled: members.boolean('enabled') ?? true,
  };
  members.end();
  if (named !== username) {
    throw illegalArgument(`[username] in source does not match the username provided [${username}]`);
  }
  checkPasswordHash(password, passwordHash);
  refuseInvalid(
    [...(roles === undefined ? ['roles are missing'] : []), ...metadataFaults(user.metadata)],
    'action_request_validation_exception',
  );
  return { user: { ...user, roles: roles ?? [] }, password, passwordHash };
}

function refuseReserved(username: string, { settings }: ActionContext): void {
  if (RESERVED_USERS.has(username)) {
    throw illegalArgument(`user [${username}] is reserved and only the password can be changed`);
  }
  const { 'security.anonymous.username': anonymous, 'security.anonymous.roles': roles } = settings.values;
  if (roles.length > 0 && username === anonymous) {
    throw illegalArgument(`user [${username}] is anonymous and cannot be modified via the API`);
  }
}

/** Undefined where neither a native nor a reserved user has the name. */
export function renderUser(username: string, state: SecurityState, withProfile: boolean): JsonObject | undefined {
  const user = state.users.get(username);
  const reserved = RESERVED_USERS.get(username);
  const realm = user === undefined ? RESERVED_REALM : NATIVE_REALM;
  const uid = withProfile ? profileOf(state.userProfiles, username, realm) : undefined;
  const profile = uid === undefined ? {} : { profile_uid: uid };
  if (user !== undefined) {
    const { roles, fullName, email, metadata, enabled } = user;
    return { username, roles, full_name: fullName, email, metadata, enabled, ...profile };
  }
  if (reserved === undefined) return undefined;
  const enabled = state.reservedUsers.get(username)?.enabled ?? username === ADMIN;
  const metadata = { _reserved: true };
  return { username, roles: reserved, full_name: null, email: null, metadata, enabled, ...profile };
}
