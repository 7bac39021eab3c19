/** `GET _remote/info`: no cluster can be registered as a remote one, so none is listed. */
import { answerValue } from '../answer.js';
import { defineEndpoint } from '../endpoint.js';

export const remoteInfoEndpoint = defineEndpoint({
  name: 'cluster.remote_info',
  action: 'cluster:monitor/remote/info',
  methods: ['GET'],
  paths: ['/_remote/info'],
  parameters: {},
  body: 'none',
  pool: 'management',
  placement: 'any',
  handle: () => answerValue({}),
});
