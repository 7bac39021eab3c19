/** `_migration/deprecations`: what is in use and will not be there for ever, and what holds up an upgrade. */
import { askNodes } from '../../actions/nodes/ask-nodes.js';
import type { ActionContext } from '../../actions/context.js';
import { clusterDeprecations } from '../../cluster/deprecations/cluster-checks.js';
import type { Deprecation } from '../../cluster/deprecations/entry.js';
import { indexDeprecations } from '../../cluster/deprecations/index-checks.js';
import { nodeDeprecations } from '../../cluster/deprecations/node-checks.js';
import { policyDeprecations } from '../../cluster/deprecations/policy-checks.js';
import { streamDeprecations } from '../../cluster/deprecations/stream-checks.js';
import { templateDeprecations } from '../../cluster/deprecations/template-checks.js';
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
    const indices = namedIndices(context, parts.index, IndicesDefaults.lenient, {});
    const ofIndices = new Map(indices.map((index) => [index.name, indexDeprecations(state, index)]));
    return answerValue({
      cluster_settings: clusterDeprecations(state),
      node_settings: await ofNodes(context),
      index_settings: withEntries(ofIndices),
      data_streams: withEntries(streamDeprecations(state)),
      templates: withEntries(templateDeprecations(state)),
      ilm_policies: withEntries(policyDeprecations(state)),
      ml_settings: [],
    });
  },
});

type Entries = Readonly<Record<string, readonly Deprecation[]>>;

function withEntries(found: ReadonlyMap<string, readonly Deprecation[]>): Entries {
  return Object.fromEntries([...found].filter(([, entries]) => entries.length > 0));
}

async function ofNodes(context: ActionContext): Promise<readonly Deprecation[]> {
  const nodes = [...context.clusterState().nodes.values()];
  const { answers, failures } = await askNodes(context, nodes, 'node-facts', null, ASK_MS_MAX);
  const checked = answers.map(({ node: { name, version }, output: { settings, memory } }) => {
    return { name, version, settings, machineBytes: memory.totalBytes };
  });
  const silent = failures.map(({ details }) => (typeof details.node_name === 'string' ? details.node_name : ''));
  return [...nodeDeprecations(checked), ...(silent.length === 0 ? [] : [unchecked(silent)])];
}

function unchecked(names: readonly string[]): Deprecation {
  return {
    level: 'warning',
    message: 'Nodes did not tell what they are configured with',
    url: '/_cat/nodes?h=name,version',
    details: `Ask again when they answer: [${[...names].sort().join(', ')}]`,
    resolve_during_rolling_upgrade: false,
  };
}
