/** What `_cluster/stats` tells of all indices together. Loaded when somebody asks. */
import type { ShardAnswer } from '../../../actions/indices/broadcast.js';
import { addStatistics, printedExtras, sections, type Statistics } from '../../../actions/indices/statistics.js';
import type { ShardStatistics } from '../../../actions/operations/shard-maintenance.js';
import type { JsonObject } from '../../../base/json-value.js';
import type { IndexMetadata } from '../../../cluster/state.js';
import { fieldsOf } from '../../../mapping/walk.js';
import { analysisUsage } from './analysis-usage.js';
import type { IndicesMetric } from './cluster-stats-metrics.js';
import { runtimeFieldUsage } from './runtime-field-usage.js';
import { Uses } from './uses.js';
import { withReadableSizes } from '../nodes/readable-sizes.js';

export interface IndicesView {
  readonly indices: readonly IndexMetadata[];
  readonly copies: readonly ShardAnswer<ShardStatistics>[];
  readonly isHuman: boolean;
  /** What searches consisted of; undefined where the usage of features is not asked for. */
  readonly searches: JsonObject | undefined;
}

export function indicesSections(metrics: readonly IndicesMetric[], view: IndicesView): JsonObject {
  const total = addStatistics(view.copies.map(({ output }) => sections(output)));
  const entries = metrics.map((metric) => [metric, section(metric, view, total)] as const);
  const shown: JsonObject = {
    count: namesOf(view.copies).length,
    ...Object.fromEntries(entries),
    ...(view.searches === undefined ? {} : usage(view, view.searches)),
  };
  return view.isHuman ? withReadableSizes(shown) : shown;
}

function usage(view: IndicesView, search: JsonObject): JsonObject {
  return {
    search,
    dense_vector: { value_count: vectorsAtMost(view) },
    // There is no such field.
    sparse_vector: { value_count: 0 },
  };
}

/** Vectors are not counted: at most each document has one in each field. */
function vectorsAtMost({ copies }: IndicesView): number {
  return copies
    .filter(({ copy }) => copy.primary)
    .map(({ index, output }) => vectorFields(index) * output.stats.documents)
    .reduce((sum, count) => sum + count, 0);
}

function vectorFields({ mapping }: IndexMetadata): number {
  return [...fieldsOf(mapping)].filter(({ field }) => field.type === 'dense_vector').length;
}

function section(metric: IndicesMetric, view: IndicesView, total: Statistics): JsonObject {
  switch (metric) {
    case 'shards':
      return shardCounts(view.copies);
    case 'docs':
      // Every document once, however many copies there are.
      return docsOf(view.copies);
    case 'segments':
      return { ...total['segments'], file_sizes: {} };
    case 'mappings':
      return mappingCounts(view.indices);
    case 'analysis':
      return analysisUsage(view.indices);
    case 'fielddata':
      return { ...total[metric], ...printedExtras(metric, total) };
    default:
      return total[metric] ?? {};
  }
}

function docsOf(copies: IndicesView['copies']): JsonObject {
  const primaries = copies.filter(({ copy }) => copy.primary);
  return addStatistics(primaries.map(({ output }) => sections(output)))['docs'] ?? {};
}

function namesOf(copies: IndicesView['copies']): readonly string[] {
  return [...new Set(copies.map(({ index }) => index.name))];
}

interface Counts {
  readonly all: number;
  readonly primaries: number;
  readonly replication: number;
}

function shardCounts(copies: IndicesView['copies']): JsonObject {
  const { all, primaries, replication } = countsOf(copies);
  if (all === 0) return {};
  const each = namesOf(copies).map((name) => countsOf(copies.filter(({ index }) => index.name === name)));
  return {
    total: all,
    primaries,
    replication,
    index: {
      shards: spread(each.map((counts) => counts.all)),
      primaries: spread(each.map((counts) => counts.primaries)),
      replication: spread(each.map((counts) => counts.replication)),
    },
  };
}

function countsOf(copies: IndicesView['copies']): Counts {
  const all = copies.length;
  const primaries = copies.filter(({ copy }) => copy.primary).length;
  return { all, primaries, replication: primaries === 0 ? 0 : (all - primaries) / primaries };
}

function spread(values: readonly number[]): JsonObject {
  const total = values.reduce((sum, value) => sum + value, 0);
  return { min: Math.min(...values), max: Math.max(...values), avg: total / values.length };
}

function mappingCounts(indices: readonly IndexMetadata[]): JsonObject {
  const types = new Uses();
  for (const index of indices) for (const { field } of fieldsOf(index.mapping)) types.add(field.type, index.name);
  const counted = types.render();
  const modes = new Uses();
  for (const { mapping, name } of indices) modes.add(mapping.source?.enabled === false ? 'disabled' : 'stored', name);
  return {
    total_field_count: counted.reduce((sum, { count }) => sum + count, 0),
    field_types: counted,
    runtime_field_types: runtimeFieldUsage(indices),
    source_modes: Object.fromEntries(modes.render().map(({ name, count }) => [name, count])),
  };
}
