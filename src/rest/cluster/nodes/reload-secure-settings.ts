/** `POST _nodes/{node_id}/reload_secure_settings`: the nodes read their keystores again; what went wrong is told node by node. */
import { askNodes } from '../../../actions/nodes/ask-nodes.js';
import { QuarryError } from '../../../base/errors.js';
import type { JsonObject } from '../../../base/json-value.js';
import { selectNodes } from '../../../cluster/nodes/node-filter.js';
import { answerValue } from '../../answer.js';
import { defineEndpoint } from '../../endpoint.js';
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
  async handle({ parts, parameters, body }, context) {
    const password = readPassword(body.object());
    const state = context.clusterState();
    const nodes = selectNodes(state, parts.node_id === undefined ? [] : splitList(parts.node_id), context.node.id);
    if (password !== '' && nodes.some(({ id }) => id !== context.node.id)) throw passwordInTheOpen();
    const input = { password };
    const { answers, failures } = await askNodes(context, nodes, 'reload-secure-settings', input, parameters.timeout);
    const shown = answers.map(({ node: { id, name }, output }) => [
      id,
      output === null ? { name } : { name, reload_exception: { type: output.type, reason: output.reason } },
    ]);
    return answerValue({
      _nodes: nodesHeader(nodes.length, failures),
      cluster_name: state.clusterName,
      nodes: Object.fromEntries(shown) as JsonObject,
    });
  },
});

function passwordInTheOpen(): QuarryError {
  return new QuarryError(
    'illegal_argument_exception',
    'Secure settings cannot be updated cluster wide when TLS for the transport layer is not enabled. Enable TLS or use the API ' +
      'with a `_local` filter on each node.',
  );
}

function readPassword(body: JsonObject | undefined): string {
  const { [PASSWORD]: password = '', ...others } = body ?? {};
  const [unknown] = Object.keys(others);
  if (unknown !== undefined) {
    throw new QuarryError('x_content_parse_exception', `[reload_secure_settings] unknown field [${unknown}]`);
  }
  if (typeof password === 'string') return password;
  throw new QuarryError('x_content_parse_exception', `[reload_secure_settings] [${PASSWORD}] must be a string`);
}
