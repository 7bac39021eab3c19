/** `_security/enroll/node`; see `enrol-node.ts`. */
import { ENROL_NODE } from '../../cluster/security/enrolment.js';
import { defineEndpoint } from '../endpoint.js';
import { SECURITY_ENDPOINT } from './common.js';

export const enrolNodeEndpoint = defineEndpoint({
  ...SECURITY_ENDPOINT,
  name: 'security.enroll_node',
  action: ENROL_NODE,
  methods: ['GET'],
  paths: ['/_security/enroll/node'],
  parameters: {},
  body: 'none',
  handle: async (_request, context) => (await import('./enrol-node.js')).enrolNode(context),
});
