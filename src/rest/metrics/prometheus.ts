/**
 * `GET _prometheus/metrics`: the measures of the node that answers, in the text format of Prometheus, each with the names of the cluster and the
 * node. Every node is scraped by itself.
 */
import { onOwnCopies } from '../../actions/indices/broadcast.js';
import { defineEndpoint } from '../endpoint.js';

/** How long the node may take to tell of itself. */
const ASK_MS_MAX = 30_000;
/** Those who scrape go by the version. */
const CONTENT_TYPE = 'text/plain; version=0.0.4; charset=utf-8';

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
    // Loaded by the first scrape: most nodes are never asked.
    const { metricsText } = await import('./metrics-text.js');
    const text = await metricsText({ facts, copies, state, nodeName: node.name, nowMs: clock.nowMs() });
    return { kind: 'text', status: 200, text, contentType: CONTENT_TYPE };
  },
});
