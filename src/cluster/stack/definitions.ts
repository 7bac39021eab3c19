/**
 * What a cluster that answers as Elasticsearch 8 brings for shippers: index templates that make data streams of what they send as
 * `logs-*-*`, `metrics-*-*`, `traces-*-*` and `synthetics-*-*`, the parts of these, the policies that they name, and the pipeline
 * of logs. As bodies of the requests that would put them.
 */
import type { JsonObject } from '../../base/json-value.js';
import { ECS_DYNAMIC_TEMPLATES } from './ecs-mappings.js';

/** Rises when a definition changes: clusters that have an older one get the new one. */
export const STACK_VERSION = 14;

/** Templates of users win with a higher one. */
const PRIORITY = 100;

type Definitions = Readonly<Record<string, JsonObject>>;

const stamp = (description: string): JsonObject => ({
  _meta: { description, managed: true },
  version: STACK_VERSION,
});

const KEYWORD: JsonObject = { type: 'keyword', ignore_above: 1024 };
const CONSTANT: JsonObject = { type: 'constant_keyword' };

const part = (description: string, template: JsonObject): JsonObject => ({ template, ...stamp(description) });

/** The members of `data_stream` that all shippers send, and the time of a document. */
const streamFields = (type: string): JsonObject => ({
  '@timestamp': { type: 'date', ignore_malformed: false },
  data_stream: { properties: { type: { ...CONSTANT, value: type }, dataset: CONSTANT, namespace: CONSTANT } },
});

const typeOfStream = (type: string): JsonObject => ({
  data_stream: { properties: { type: { ...CONSTANT, value: type } } },
});

const settings = (policy: string, more: JsonObject): JsonObject => ({
  settings: { index: { lifecycle: { name: policy }, codec: 'best_compression', ...more } },
});

export const STACK_COMPONENTS: Definitions = {
  'data-streams@mappings': part('mappings of data streams that come with the cluster', {
    mappings: {
      date_detection: false,
      dynamic_templates: [
        { ip: { match: 'ip', match_mapping_type: 'string', mapping: { type: 'ip' } } },
        { message: { match: 'message', match_mapping_type: 'string', mapping: { type: 'match_only_text' } } },
        { strings_to_keywords: { match_mapping_type: 'string', mapping: KEYWORD } },
      ],
      properties: {
        '@timestamp': { type: 'date', ignore_malformed: false },
        data_stream: { properties: { dataset: CONSTANT, namespace: CONSTANT } },
        ecs: { properties: { version: KEYWORD } },
        host: { type: 'object' },
      },
    },
  }),
  'ecs@mappings': part('mappings by the names of the Elastic Common Schema', {
    mappings: { dynamic_templates: ECS_DYNAMIC_TEMPLATES },
  }),
  'logs@mappings': part('mappings of logs', { mappings: { date_detection: false, properties: streamFields('logs') } }),
  'logs@settings': part(
    'settings of logs',
    settings('logs', { mapping: { ignore_malformed: true }, default_pipeline: 'logs@default-pipeline' }),
  ),
  'metrics@mappings': part('mappings of metrics', {
    mappings: {
      dynamic_templates: [
        { whole_metrics: { match_mapping_type: 'long', mapping: { type: 'long', index: false } } },
        { fraction_metrics: { match_mapping_type: 'double', mapping: { type: 'float', index: false } } },
      ],
      properties: typeOfStream('metrics'),
    },
  }),
  'metrics@settings': part(
    'settings of metrics',
    settings('metrics', { mapping: { ignore_malformed: true }, query: { default_field: ['message'] } }),
  ),
  'traces@mappings': part('mappings of traces', {
    mappings: { date_detection: false, properties: streamFields('traces') },
  }),
  'traces@settings': part('settings of traces', settings('traces', { mapping: { ignore_malformed: true } })),
  'synthetics@mappings': part('mappings of synthetic monitors', {
    mappings: { properties: typeOfStream('synthetics') },
  }),
  'synthetics@settings': part('settings of synthetic monitors', settings('synthetics', {})),
};

const streams = (type: string, composedOf: readonly string[]): JsonObject => {
  const custom = `${type}@custom`;
  return {
    index_patterns: [`${type}-*-*`],
    priority: PRIORITY,
    data_stream: {},
    composed_of: composedOf,
    ...(composedOf.includes(custom) ? { ignore_missing_component_templates: [custom] } : {}),
    allow_auto_create: true,
    ...stamp(`template of ${type} that comes with the cluster`),
  };
};

export const STACK_INDEX_TEMPLATES: Definitions = {
  logs: streams('logs', ['logs@mappings', 'logs@settings', 'logs@custom', 'ecs@mappings']),
  metrics: streams('metrics', ['metrics@mappings', 'data-streams@mappings', 'metrics@settings']),
  traces: streams('traces', ['traces@mappings', 'traces@settings', 'traces@custom', 'ecs@mappings']),
  synthetics: streams('synthetics', ['synthetics@mappings', 'data-streams@mappings', 'synthetics@settings']),
};

const rollover = (maxAge: string): JsonObject => ({
  hot: { actions: { rollover: { max_primary_shard_size: '50gb', max_age: maxAge } } },
});

const policy = (description: string, phases: JsonObject): JsonObject => ({
  phases,
  _meta: { description, managed: true },
});

/** Small indices of what is read seldom, until they go. */
const keptFor = (days: number): JsonObject =>
  policy(`keeps data for ${days} days`, {
    ...rollover(days < 30 ? `${days}d` : '30d'),
    warm: { min_age: '2d', actions: { shrink: { number_of_shards: 1 }, forcemerge: { max_num_segments: 1 } } },
    ...(days > 30 ? { cold: { min_age: '30d', actions: {} } } : {}),
    delete: { min_age: `${days}d`, actions: { delete: {} } },
  });

/** By name: those that the templates name, those for users, and the names that version 8 has beside. */
export const STACK_POLICIES: Definitions = Object.fromEntries([
  ...['logs', 'metrics', 'traces', 'synthetics'].flatMap((type) => {
    const kept = policy(`policy of ${type}: data is kept for ever`, rollover('30d'));
    return [type, `${type}@lifecycle`].map((name) => [name, kept] as const);
  }),
  ...[7, 30, 90, 180, 365].flatMap((days) =>
    [`${days}-days-default`, `${days}-days@lifecycle`].map((name) => [name, keptFor(days)] as const),
  ),
]);

export const STACK_PIPELINES: Definitions = {
  'logs@default-pipeline': {
    description: 'gives logs without a time that of their arrival, and runs logs@custom where it is there',
    processors: [
      { set: { field: '@timestamp', override: false, copy_from: '_ingest.timestamp' } },
      { pipeline: { name: 'logs@custom', ignore_missing_pipeline: true } },
    ],
    ...stamp('pipeline of logs that comes with the cluster'),
  },
};
