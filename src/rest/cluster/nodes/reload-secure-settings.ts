/**
 * `POST _nodes/{node_id}/reload_secure_settings`: there is no store of secure settings, so that nothing changes; a password for
 * one is wrong.
 */
import { QuarryError } from '../../../base/errors.js';
import type { JsonObject } from '../../../base/json-value.js';
import { selectNodes } from '../../../cluster/nodes/node-filter.js';
import { answerValue } from '../../answer.js';
import { defineEndpoint } from '../../endpoint.js';
import { describeWithCause } from '../../error-body.js';
import { splitList, timeParameter } from '../../parameters.js';
import { nodesHeader } from './nodes-header.js';

const PASSWORD = 'secure_settings_password';

export const reloadSecureSettingsEndpoint = defineEndpoint({
  name: 'nodes.reload_secure_settings',
  action: 'cluster:admin/nodes/reload_secure_settings',
  methods: ['POST'],
  paths: ['/_nodes/reload_secure_settings', '/_nodes/{node_id}/reload_secure_settings'],
  parameters: { timeout: timeParameter(30_000) },
  body: 'json',
  pool: 'management',
  placement: 'any',
  handle(request, context) {
    const password = readPassword(request.body.object());
    const state = context.clusterState();
    const filters = request.parts.node_id === undefined ? [] : splitList(request.parts.node_id);
    const nodes = selectNodes(state, filters, context.node.id);
    const failure =
      password === ''
        ? {}
        : {
            reload_exception: describeWithCause(
              new QuarryError('security_exception', 'Provided keystore password was incorrect'),
            ),
          };
    return answerValue({
      _nodes: nodesHeader(nodes.length, []),
      cluster_name: state.clusterName,
      nodes: Object.fromEntries(nodes.map(({ id, name }) => [id, { name, ...failure }])),
    });
  },
});

function readPassword(body: JsonObject | undefined): string {
  const { [PASSWORD]: password = '', ...others } = body ?? {};
  const [unknown] = Object.keys(others);
  if (unknown !== undefined) {
    throw new QuarryError('x_content_parse_exception', `[reload_secure_settings] unknown field [${unknown}]`);
  }
  if (typeof password === 'string') return password;
  throw new QuarryError('x_content_parse_exception', `[reload_secure_settings] [${PASSWORD}] must be a string`);
}
