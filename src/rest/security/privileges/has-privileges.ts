/** `_security/user/_has_privileges`: whether the sender may do what he asks about. */
import { illegalArgument } from '../../../base/errors.js';
import { answerValue } from '../../answer.js';
import { defineEndpoint } from '../../endpoint.js';
import { authorityOfSender } from './sender.js';

export const hasPrivilegesEndpoint = defineEndpoint({
  name: 'security.has_privileges',
  action: { name: 'cluster:admin/xpack/security/user/has_privileges', isOwn: () => true },
  methods: ['GET', 'POST'],
  paths: ['/_security/user/_has_privileges', '/_security/user/{user}/_has_privileges'],
  parameters: {},
  body: 'json',
  pool: 'management',
  placement: 'any',
  async handle({ parts, body }, context) {
    const authority = authorityOfSender(context);
    const { username } = authority.subject;
    if (parts.user !== undefined && parts.user !== username) {
      throw illegalArgument('users may only check the privileges of their own account');
    }
    const { privilegeVerdicts, readQuestions } = await import('./privilege-questions.js');
    return answerValue({
      username,
      ...privilegeVerdicts(authority, readQuestions(username, body.requireObject())),
    });
  },
});
