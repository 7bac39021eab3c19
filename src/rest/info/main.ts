/** `GET /`: who answers here. */
import { answerValue } from '../answer.js';
import { clusterIdentity } from '../cluster-identity.js';
import { defineEndpoint } from '../endpoint.js';
import { tagline, versionBlock } from './compatibility.js';

export const info = defineEndpoint({
  name: 'info',
  action: 'cluster:monitor/main',
  methods: ['GET', 'HEAD'],
  paths: ['/'],
  parameters: {},
  body: 'none',
  pool: 'management',
  placement: 'near',
  handle(_request, context) {
    const { node, settings } = context;
    const distribution = settings.values['compatibility.distribution'];
    return answerValue({
      name: node.name,
      ...clusterIdentity(context.clusterState()),
      version: versionBlock(settings, node.version),
      tagline: tagline(distribution),
      software: { name: 'Quarry', version: node.version },
    });
  },
});
