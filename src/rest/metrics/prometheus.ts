/**
 * `GET _prometheus/metrics`: the measures of the node that answers, in the text format of Prometheus, each with the names of the cluster and the
 * node. Every node is scraped by itself.
 */
import { onOwnCopies } from '../../actions/indices/broadcast.js';
import { answerText } from '../answer.js';
import { defineEndpoint } from '../endpoint.js';
import { clusterMetrics } from './cluster-metrics.js';
import { frontMetrics } from './front-metrics.js';
import type { Metric } from './metric.js';
import { processMetrics } from './process-metrics.js';
import { shardMetrics } from './shard-metrics.js';

/** How long the node may take to tell of itself. */
const ASK_MS_MAX = 30_000;

export const metricsEndpoint = defineEndpoint({
  name: 'prometheus.metrics',
  action: 'cluster:monitor/prometheus/metrics',
  methods: ['GET'],
  paths: ['/_prometheus/metrics'],
  parameters: {},
  body: 'none',
  pool: 'management',
  placement: 'any',
  async handle(_request, context) {
    const { node, nodes, clock } = context;
    const [facts, copies] = await Promise.all([
      nodes.onNode(node.id, 'node-facts', null, ASK_MS_MAX),
      onOwnCopies(context, 'statistics', null),
    ]);
    const state = context.clusterState();
    const metrics = [
      ...processMetrics(facts, clock.nowMs()),
      ...frontMetrics(facts.front),
      ...shardMetrics(copies),
      ...clusterMetrics(state),
    ];
    return answerText(await textOf(metrics, { cluster: state.clusterName, node: node.name }));
  },
});

/** The library is loaded by the first scrape: most nodes are never asked. */
async function textOf(metrics: readonly Metric[], common: Readonly<Record<string, string>>): Promise<string> {
  const { Counter, Gauge, Registry } = await import('prom-client');
  const registry = new Registry();
  registry.setDefaultLabels(common);
  for (const { name, help, kind, samples } of metrics) {
    const labelNames = [...new Set(samples.flatMap(({ labels = {} }) => Object.keys(labels)))];
    const options = { name, help, labelNames, registers: [registry] };
    if (kind === 'counter') {
      const made = new Counter(options);
      for (const { labels = {}, value } of samples) made.inc(labels, Math.max(0, value));
    } else {
      const made = new Gauge(options);
      for (const { labels = {}, value } of samples) made.set(labels, value);
    }
  }
  return registry.metrics();
}
