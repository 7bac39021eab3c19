/** What `_cluster/stats` tells of all indices together. */
import type { ShardAnswer } from '../../actions/indices/broadcast.js';
import { addStatistics, sections, type Statistics } from '../../actions/indices/statistics.js';
import type { ShardStatistics } from '../../actions/operations/shard-maintenance.js';
import type { JsonObject } from '../../base/json-value.js';
import type { IndexMetadata } from '../../cluster/state.js';
import { fieldsOf } from '../../mapping/walk.js';
import { withReadableSizes } from './nodes-stats-sections.js';

export const INDICES_METRICS = [
  ...([
    'shards',
    'docs',
    'store',
    'fielddata',
    'query_cache',
    'completion',
    'segments',
    'mappings',
    'analysis',
  ] as const),
];
export type IndicesMetric = (typeof INDICES_METRICS)[number];

export interface IndicesView {
  readonly indices: readonly IndexMetadata[];
  readonly copies: readonly ShardAnswer<ShardStatistics>[];
  readonly isHuman: boolean;
}

export function indicesSections(metrics: readonly IndicesMetric[], view: IndicesView): JsonObject {
  const total = addStatistics(view.copies.map(({ output }) => sections(output)));
  const entries = metrics.map((metric) => [metric, section(metric, view, total)] as const);
  const shown: JsonObject = { count: namesOf(view.copies).length, ...Object.fromEntries(entries) };
  return view.isHuman ? withReadableSizes(shown) : shown;
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
      return analysisCounts(view.indices);
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

/** Uses of names: how often, and in how many indices. */
class Uses {
  private readonly counts = new Map<string, { count: number; readonly indices: Set<string> }>();

  add(name: string, index: string): void {
    const uses = this.counts.get(name) ?? { count: 0, indices: new Set<string>() };
    uses.count++;
    uses.indices.add(index);
    this.counts.set(name, uses);
  }

  render(): readonly JsonObject[] {
    return [...this.counts]
      .sort(([left], [right]) => (left < right ? -1 : 1))
      .map(([name, { count, indices }]) => ({ name, count, index_count: indices.size }));
  }
}

function mappingCounts(indices: readonly IndexMetadata[]): JsonObject {
  const types = new Uses();
  for (const index of indices) for (const { field } of fieldsOf(index.mapping)) types.add(field.type, index.name);
  return { field_types: types.render() };
}

const KINDS = ['char_filter', 'tokenizer', 'filter', 'analyzer'] as const;

/** Components that indices define, and the analyzers that fields name without a definition. */
function analysisCounts(indices: readonly IndexMetadata[]): JsonObject {
  const defined = Object.fromEntries(KINDS.map((kind) => [kind, new Uses()])) as Record<(typeof KINDS)[number], Uses>;
  const builtIn = new Uses();
  for (const index of indices) {
    for (const [key, value] of index.settings) {
      const [, kind = ''] = /^index\.analysis\.([a-z_]+)\.[^.]+\.type$/.exec(key) ?? [];
      const uses = KINDS.find((known) => known === kind);
      if (uses !== undefined) defined[uses].add(String(value), index.name);
    }
    for (const { field } of fieldsOf(index.mapping)) {
      const analyzer = field.parameters['analyzer'];
      if (typeof analyzer !== 'string' || isDefined(index, analyzer)) continue;
      builtIn.add(analyzer, index.name);
    }
  }
  return {
    char_filter_types: defined.char_filter.render(),
    tokenizer_types: defined.tokenizer.render(),
    filter_types: defined.filter.render(),
    analyzer_types: defined.analyzer.render(),
    built_in_analyzers: builtIn.render(),
  };
}

function isDefined(index: IndexMetadata, analyzer: string): boolean {
  const prefix = `index.analysis.analyzer.${analyzer}.`;
  return [...index.settings.keys()].some((key) => key.startsWith(prefix));
}
