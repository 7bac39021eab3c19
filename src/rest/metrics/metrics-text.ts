/** All measures of a node as the text that Prometheus reads. */
import { Counter, Gauge, Registry } from 'prom-client';
import type { ShardAnswer } from '../../actions/indices/broadcast.js';
import type { NodeFacts } from '../../actions/nodes/node-facts.js';
import type { ShardStatistics } from '../../actions/operations/shard-maintenance.js';
import type { ClusterState } from '../../cluster/state.js';
import { clusterMetrics } from './cluster-metrics.js';
import { frontMetrics } from './front-metrics.js';
import type { Metric } from './metric.js';
import { processMetrics } from './process-metrics.js';
import { shardMetrics } from './shard-metrics.js';

export interface Measured {
  readonly facts: NodeFacts;
  /** Of the shards that the node has. */
  readonly copies: readonly ShardAnswer<ShardStatistics>[];
  readonly state: ClusterState;
  readonly nodeName: string;
  readonly nowMs: number;
}

export function metricsText({ facts, copies, state, nodeName, nowMs }: Measured): Promise<string> {
  const metrics = [
    ...processMetrics(facts, nowMs),
    ...frontMetrics(facts.front),
    ...shardMetrics(copies),
    ...clusterMetrics(state),
  ];
  return textOf(metrics, { cluster: state.clusterName, node: nodeName });
}

function textOf(metrics: readonly Metric[], common: Readonly<Record<string, string>>): Promise<string> {
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
