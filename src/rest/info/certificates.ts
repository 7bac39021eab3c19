/** `GET _ssl/certificates`: the certificates of this node, and when they end. */
import { defineEndpoint } from '../endpoint.js';
import { answerValue } from '../answer.js';

export const certificatesEndpoint = defineEndpoint({
  name: 'ssl.certificates',
  action: 'cluster:monitor/xpack/ssl/certificates/get',
  methods: ['GET'],
  paths: ['/_ssl/certificates'],
  parameters: {},
  body: 'none',
  pool: 'management',
  placement: 'any',
  distribution: 'elasticsearch',
  async handle(_request, { settings }) {
    const { certificatesOf } = await import('./certificate-list.js');
    return answerValue(certificatesOf(settings));
  },
});
