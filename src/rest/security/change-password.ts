/** `_security/user/{username}/_password`: of somebody, or of the caller. */
import { passwordFaults } from '../../actions/security/password-faults.js';
import { illegalArgument } from '../../base/errors.js';
import { RESERVED_USERS } from '../../cluster/security/realms.js';
import { answerValue } from '../answer.js';
import { defineEndpoint } from '../endpoint.js';
import { BodyMembers } from './body-members.js';
import { refreshParameters, refuseInvalid, SECURITY_ENDPOINT, sender } from './common.js';
import { checkPasswordHash } from './names.js';

export const changePasswordEndpoint = defineEndpoint({
  ...SECURITY_ENDPOINT,
  name: 'security.change_password',
  action: {
    name: 'cluster:admin/xpack/security/user/change_password',
    isOwn: ({ parts }) => parts.username === undefined,
  },
  methods: ['PUT', 'POST'],
  paths: ['/_security/user/{username}/_password', '/_security/user/_password'],
  parameters: refreshParameters,
  body: 'json',
  async handle({ parts, body }, context) {
    const members = new BodyMembers(body.requireObject(), 'change password request');
    const password = members.string('password');
    const given = members.string('password_hash');
    members.end();
    checkPasswordHash(password, given);
    if (password === undefined && given === undefined) {
      refuseInvalid(['password is missing'], 'action_request_validation_exception');
    }
    refuseInvalid(passwordFaults(password), 'validation_exception');
    const username = parts.username ?? ownName(sender(context));
    const hash = password === undefined ? given : await context.security.hashPassword(password);
    const input = { username, passwordHash: hash ?? '' };
    if (RESERVED_USERS.has(username)) {
      await context.coordinator.submit('set-reserved-password', { ...input, isFirst: false });
    } else await context.coordinator.submit('set-password', input);
    return answerValue({});
  },
});

/** Neither keys nor tokens change the password of their owner, and users of files have it there. */
function ownName({ username, authenticationType, lookupRealm }: ReturnType<typeof sender>): string {
  const isKept = lookupRealm?.type === 'native' || lookupRealm?.type === 'reserved';
  if (authenticationType === 'realm' && isKept) return username;
  throw illegalArgument(`the password of [${username}] cannot be changed by this request: it is not a user of the API`);
}
