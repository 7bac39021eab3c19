/** What `_cluster/stats` tells of all nodes together. Loaded when somebody asks. */
import type { NodeAnswer } from '../../../actions/nodes/ask-nodes.js';
import type { NodeFacts } from '../../../actions/nodes/node-facts.js';
import type { IngestFigures } from '../../../ingest/statistics.js';
import type { JsonObject } from '../../../base/json-value.js';
import { apiVersion } from '../../info/compatibility.js';
import { addFigures, indexingPressure } from '../nodes/indexing-pressure.js';
import { fileSystemSizes } from '../nodes/machine-sections.js';
import { processorTotals } from '../nodes/render-ingest.js';
import { withReadableSizes } from '../nodes/readable-sizes.js';
import type { NodesMetric } from './cluster-stats-metrics.js';

export interface NodesView {
  readonly answers: readonly NodeAnswer<NodeFacts>[];
  readonly nowMs: number;
  readonly isHuman: boolean;
  readonly ingest: readonly IngestFigures[];
  readonly pipelines: number;
}

export function nodesSections(metrics: readonly NodesMetric[], view: NodesView): JsonObject {
  const sections = metrics.map((metric) => [metric, SECTIONS[metric](view)] as const);
  const shown: JsonObject = { ...countRoles(view), versions: versions(view), ...Object.fromEntries(sections) };
  return view.isHuman ? withReadableSizes(shown) : shown;
}

const ROLES = [
  ...['data', 'data_cold', 'data_content', 'data_frozen', 'data_hot', 'data_warm', 'ingest', 'master'],
  ...['remote_cluster_client', 'voting_only', 'ml', 'transform', 'search', 'warm'],
];

function countRoles({ answers }: NodesView): JsonObject {
  const count = (holds: (roles: readonly string[]) => boolean): number =>
    answers.filter(({ node }) => holds(node.roles)).length;
  const byRole = ROLES.map((role) => [role, count((roles) => roles.includes(role))] as const);
  return {
    count: {
      total: answers.length,
      coordinating_only: count((roles) => roles.length === 0),
      cluster_manager: count((roles) => roles.includes('master')),
      ...Object.fromEntries(byRole),
    },
  };
}

function versions({ answers }: NodesView): readonly string[] {
  return distinct(answers.map(({ output }) => apiVersion(output.settings)));
}

const SECTIONS: Readonly<Record<NodesMetric, (view: NodesView) => JsonObject | readonly JsonObject[]>> = {
  os: ({ answers }) => {
    const total = sum(answers, ({ memory }) => memory.totalBytes);
    const free = sum(answers, ({ memory }) => memory.freeBytes);
    return {
      available_processors: answers.reduce((processors, { node }) => processors + node.workerSlots, 0),
      allocated_processors: answers.reduce((processors, { node }) => processors + node.workerSlots, 0),
      names: counted(answers, ({ platform }) => platform).map(([name, count]) => ({ name, count })),
      pretty_names: counted(answers, ({ platform }) => platform).map(([name, count]) => ({ pretty_name: name, count })),
      architectures: counted(answers, ({ architecture }) => architecture).map(([arch, count]) => ({ arch, count })),
      mem: {
        total_in_bytes: total,
        free_in_bytes: free,
        used_in_bytes: total - free,
        free_percent: percent(free, total),
        used_percent: percent(total - free, total),
      },
    };
  },
  process: ({ answers }) => {
    const files = answers.map(({ output }) => output.openFiles?.current ?? -1);
    return {
      cpu: { percent: sum(answers, ({ processCpu }) => processCpu.percent) },
      open_file_descriptors: {
        min: Math.min(...files, Infinity) === Infinity ? -1 : Math.min(...files),
        max: Math.max(-1, ...files),
        avg: files.length === 0 ? -1 : Math.round(files.reduce((total, count) => total + count, 0) / files.length),
      },
    };
  },
  // There is no such machine; what tools read there is the heap of the threads that answered.
  jvm: ({ answers, nowMs }) => ({
    max_uptime_in_millis: Math.max(0, ...answers.map(({ output }) => nowMs - output.startedAtMs)),
    versions: counted(answers, ({ runtime }) => runtime?.nodeVersion ?? '').map(([version, count]) => ({
      version,
      vm_name: 'V8',
      vm_version: answers[0]?.output.runtime?.v8Version ?? '',
      vm_vendor: 'Node.js',
      bundled_jdk: false,
      using_bundled_jdk: false,
      count,
    })),
    mem: {
      heap_used_in_bytes: sum(answers, ({ memory }) => memory.heapUsedBytes),
      heap_max_in_bytes: sum(answers, ({ memory }) => memory.heapMaxBytes),
    },
    threads: sum(answers, ({ runtime }) => runtime?.threads ?? 0),
  }),
  fs: ({ answers }) =>
    answers.map(({ output }) => fileSystemSizes(output)).reduce(addFigures, fileSystemSizes({ disk: null })),
  plugins: () => [],
  network_types: ({ answers }) => ({
    transport_types: { http: answers.length },
    http_types: { http: answers.length },
  }),
  discovery_types: ({ answers }) =>
    Object.fromEntries(counted(answers, ({ settings }) => settings.values['discovery.type'])),
  indexing_pressure: ({ answers }) =>
    answers
      .map(({ output }) => indexingPressure(output.front.indexingPressure, true))
      .reduce(addFigures, indexingPressure(undefined, true)),
  ingest: ({ ingest, pipelines }) => ({ number_of_pipelines: pipelines, processor_stats: processorTotals(ingest) }),
  packaging_types: ({ answers }) =>
    answers.length === 0 ? [] : [{ type: 'quarry', flavor: 'default', count: answers.length }],
};

function sum(answers: NodesView['answers'], value: (facts: NodeFacts) => number): number {
  return answers.reduce((total, { output }) => total + value(output), 0);
}

function counted(
  answers: NodesView['answers'],
  value: (facts: NodeFacts) => string,
): readonly (readonly [string, number])[] {
  const values = answers.map(({ output }) => value(output));
  return distinct(values).map((each) => [each, values.filter((other) => other === each).length]);
}

function distinct(values: readonly string[]): readonly string[] {
  return [...new Set(values)].sort();
}

function percent(part: number, whole: number): number {
  return whole <= 0 ? 0 : Math.round((100 * part) / whole);
}
