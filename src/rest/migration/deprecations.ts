/** `_migration/deprecations`: what is in use and will not be there for ever, and what holds up an upgrade. */
import { askNodes } from '../../actions/nodes/ask-nodes.js';
import type { ActionContext } from '../../actions/context.js';
import type { CheckedNodes } from '../../cluster/deprecations/report.js';
import { IndicesDefaults } from '../../cluster/names/indices-options.js';
import { answerValue } from '../answer.js';
import { defineEndpoint } from '../endpoint.js';
import { namedIndices } from '../indices/index-names.js';

/** How long a node may take to tell what it is configured with; one that does not is named. */
const ASK_MS_MAX = 30_000;

export const deprecationsEndpoint = defineEndpoint({
  name: 'migration.deprecations',
  action: 'cluster:admin/xpack/deprecation/info',
  methods: ['GET'],
  paths: ['/_migration/deprecations', '/{index}/_migration/deprecations'],
  parameters: {},
  body: 'none',
  pool: 'management',
  placement: 'any',
  async handle({ parts }, context) {
    const state = context.clusterState();
    const indices = namedIndices(context, parts.index, { ...IndicesDefaults.lenient, ignoreUnavailable: false }, {});
    // Loaded when it is asked for: that is before an upgrade.
    const { deprecationReport } = await import('../../cluster/deprecations/report.js');
    return answerValue(deprecationReport(state, indices, await checkedNodes(context)));
  },
});

async function checkedNodes(context: ActionContext): Promise<CheckedNodes> {
  const asked = [...context.clusterState().nodes.values()];
  const { answers, failures } = await askNodes(context, asked, 'node-facts', null, ASK_MS_MAX);
  const nodes = answers.map(({ node: { name, version }, output: { settings, memory } }) => {
    return { name, version, settings, machineBytes: memory.totalBytes };
  });
  const silent = failures.map(({ details }) => (typeof details.node_name === 'string' ? details.node_name : ''));
  return { nodes, silent };
}
