/** `GET _info/{target}` of Elasticsearch: what all nodes together do, without saying which. */
import { askNodes } from '../../../actions/nodes/ask-nodes.js';
import { illegalArgument } from '../../../base/errors.js';
import { isJsonObject, type JsonObject } from '../../../base/json-value.js';
import { didYouMean } from '../../../base/suggest.js';
import { answerValue } from '../../answer.js';
import { defineEndpoint } from '../../endpoint.js';
import { splitList } from '../../parameters.js';
import { sumOfJson } from './sum-of-json.js';

const TARGETS = ['http', 'ingest', 'thread_pool', 'script'] as const;
type Target = (typeof TARGETS)[number];

/** The API gives no way to set it. */
const TIMEOUT_MS = 30_000;

export const clusterInfoEndpoint = defineEndpoint({
  name: 'cluster.info',
  action: 'cluster:monitor/nodes/stats',
  methods: ['GET'],
  paths: ['/_info/{target}'],
  distribution: 'elasticsearch',
  parameters: {},
  body: 'none',
  pool: 'management',
  placement: 'any',
  async handle(request, context) {
    const targets = readTargets(request.parts.target);
    const state = context.clusterState();
    const nodes = [...state.nodes.values()];
    const [facts, ingestAnswers] = await Promise.all([
      askNodes(context, nodes, 'node-facts', null, TIMEOUT_MS),
      askNodes(context, targets.includes('ingest') ? nodes : [], 'ingest-figures', null, TIMEOUT_MS),
    ]);
    const ingestOf = new Map(ingestAnswers.answers.map(({ node, output }) => [node.id, output]));
    const { nodeSection } = await import('./nodes-stats-sections.js');
    const timestamp = context.clock.nowMs();
    const ofNodes = facts.answers.map(({ node, output }): JsonObject => {
      const ingest = ingestOf.get(node.id);
      const view = { facts: output, ingest, updates: {}, timestamp, isHuman: false };
      return Object.fromEntries(targets.map((target) => nodeSection(target, view)));
    });
    const sums = sumOfJson(ofNodes);
    const { http } = sums;
    if (!isJsonObject(http)) return answerValue({ cluster_name: state.clusterName, ...sums });
    // Nodes have histograms with other buckets each.
    const { routesOfNodes } = await import('./http-routes.js');
    const routes = routesOfNodes(facts.answers.map(({ output: { front } }) => front.routes ?? {}));
    return answerValue({ cluster_name: state.clusterName, ...sums, http: { ...http, routes } });
  },
});

function readTargets(part: string | undefined): readonly Target[] {
  const names = splitList(part ?? '');
  if (names.length === 1 && names[0] === '_all') return TARGETS;
  if (names.includes('_all')) {
    throw illegalArgument(`request [/_info/${names.join(',')}] contains _all and individual target`);
  }
  const unknown = names.filter((name) => !TARGETS.some((target) => target === name));
  if (unknown.length === 0) return TARGETS.filter((target) => names.includes(target));
  const hints = unknown.map((name) => `[${name}]${didYouMean(name, TARGETS)}`);
  const noun = unknown.length === 1 ? 'target' : 'targets';
  throw illegalArgument(`request [/_info/${names.join(',')}] contains unrecognized ${noun}: ${hints.join(', ')}`);
}
