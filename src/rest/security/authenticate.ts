/** `GET _security/_authenticate`: who the caller is. */
import { answerValue } from '../answer.js';
import { defineEndpoint } from '../endpoint.js';
import { SECURITY_ENDPOINT, sender } from './common.js';
import { renderSubject } from './render-subject.js';

export const authenticateEndpoint = defineEndpoint({
  ...SECURITY_ENDPOINT,
  name: 'security.authenticate',
  action: { name: 'cluster:admin/xpack/security/user/authenticate', isOwn: () => true },
  methods: ['GET'],
  paths: ['/_security/_authenticate'],
  parameters: {},
  body: 'none',
  handle: (_request, context) => answerValue(renderSubject(sender(context))),
});
