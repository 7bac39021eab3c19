/** Statistics of shards as the API prints them: sections by metric, with details by name where they are asked for. */
import type { ShardAnswer } from '../../../actions/indices/broadcast.js';
import {
  addStatistics,
  METRICS,
  printedExtras,
  searchSection,
  sectionOf,
  sections,
  type Metric,
} from '../../../actions/indices/statistics.js';
import type { ShardStatistics } from '../../../actions/operations/shard-maintenance.js';
import { illegalArgument } from '../../../base/errors.js';
import type { JsonObject } from '../../../base/json-value.js';
import { didYouMean } from '../../../base/suggest.js';
import { formatBytes, formatTime } from '../../../base/units.js';
import { matchesAny } from '../../../cluster/names/wildcard.js';
import type { SearchFigures } from '../../../native/shard-statistics.js';
import { sizeMembers } from '../../size-members.js';

/** Prints the sum over shards. */
export type Print = (shards: readonly ShardAnswer<ShardStatistics>[]) => JsonObject;

/** `names`: of a part of the path; none and `_all` mean all of them. */
export function readMetrics(names: readonly string[], path: string): readonly Metric[] {
  if (names.length === 0 || (names.length === 1 && names[0] === '_all')) return METRICS;
  if (names.includes('_all')) {
    throw illegalArgument(`request [${path}] contains _all and individual metrics [${names.join(',')}]`);
  }
  const known = names.flatMap((name) => METRICS.filter((metric) => metric === name));
  const unknown = names.filter((name) => !METRICS.some((metric) => metric === name));
  if (unknown.length === 0) return METRICS.filter((metric) => known.includes(metric));
  const hints = unknown.map((name) => `[${name}]${didYouMean(name, METRICS)}`);
  const noun = unknown.length === 1 ? 'metric' : 'metrics';
  throw illegalArgument(`request [${path}] contains unrecognized ${noun}: ${hints.join(', ')}`);
}

export interface DetailParameters {
  readonly groups: readonly string[] | undefined;
  readonly fields: readonly string[] | undefined;
  readonly fielddata_fields: readonly string[] | undefined;
  readonly completion_fields: readonly string[] | undefined;
}

export function printer(metrics: readonly Metric[], details: DetailParameters, human: boolean): Print {
  return (shards) => {
    const statistics = addStatistics(shards.map(({ output }) => sections(output)));
    const entries = metrics.map((metric) => {
      const section = sectionOf(metric);
      const printed = printSection(section, statistics[section] ?? {}, human);
      const extras = printedExtras(section, statistics);
      return [section, { ...printed, ...extras, ...printDetails(section, shards, details, human) }] as const;
    });
    return Object.fromEntries(entries);
  };
}

function printSection(section: string, counters: Readonly<Record<string, number>>, human: boolean): JsonObject {
  const readable = human ? readableCounters(section, counters) : {};
  return { ...counters, ...readable };
}

/** What a section lists by name, where names are asked for. */
function printDetails(
  section: string,
  shards: readonly ShardAnswer<ShardStatistics>[],
  details: DetailParameters,
  human: boolean,
): JsonObject {
  switch (section) {
    case 'search': {
      const groups = details.groups === undefined ? [] : searchGroups(shards, details.groups);
      if (groups.length === 0) return {};
      const printed = groups.map(([name, figures]) => [name, printSection('search', searchSection(figures), human)]);
      return { groups: Object.fromEntries(printed) as JsonObject };
    }
    case 'fielddata': {
      const bytes = sumsOf(shards.map(({ output }) => output.stats.fielddataBytes));
      return printFields(bytes, [details.fields, details.fielddata_fields], 'memory_size', human);
    }
    case 'completion': {
      const bytes = sumsOf(shards.map(({ output }) => output.stats.completionBytes));
      return printFields(bytes, [details.fields, details.completion_fields], 'size', human);
    }
    default:
      return {};
  }
}

type FieldBytes = ReadonlyMap<string, number>;

function sumsOf(parts: readonly Readonly<Record<string, number>>[]): FieldBytes {
  const sums = new Map<string, number>();
  for (const [name, bytes] of parts.flatMap((part) => Object.entries(part))) {
    sums.set(name, (sums.get(name) ?? 0) + bytes);
  }
  return sums;
}

/** The fields that one of the lists of patterns names; nothing where there is no list. */
function printFields(
  bytes: FieldBytes,
  lists: readonly (readonly string[] | undefined)[],
  counter: 'size' | 'memory_size',
  human: boolean,
): JsonObject {
  const patterns = lists.flatMap((list) => list ?? []);
  if (patterns.length === 0) return {};
  const found = [...bytes]
    .filter(([name]) => matchesAny(patterns, name))
    .sort(([left], [right]) => (left < right ? -1 : 1));
  const fields = found.map(([name, size]) => [name, sizeMembers(counter, size, human)]);
  return { fields: Object.fromEntries(fields) as JsonObject };
}

/** The sums of the groups that the patterns name, in order of their names. */
function searchGroups(
  shards: readonly ShardAnswer<ShardStatistics>[],
  patterns: readonly string[],
): readonly (readonly [string, SearchFigures])[] {
  const sums = new Map<string, SearchFigures>();
  for (const [name, figures] of shards.flatMap(({ output }) => Object.entries(output.stats.searchGroups))) {
    if (!matchesAny(patterns.includes('_all') ? ['*'] : patterns, name)) continue;
    const sum = sums.get(name);
    sums.set(name, sum === undefined ? figures : addSearchFigures(sum, figures));
  }
  return [...sums].sort(([left], [right]) => (left < right ? -1 : 1));
}

/** `human=true` adds each size and time as people write it. */
function readableCounters(section: string, counters: Readonly<Record<string, number>>): JsonObject {
  const entries: [string, string][] = [];
  for (const [name, value] of Object.entries(counters)) {
    if (name.endsWith('_in_bytes')) entries.push([name.slice(0, -'_in_bytes'.length), formatBytes(value)]);
    if (name.endsWith('_in_millis')) entries.push([name.slice(0, -'_in_millis'.length), formatTime(value)]);
  }
  if (section === 'get') entries.push(['getTime', formatTime(counters['time_in_millis'] ?? 0)]);
  return Object.fromEntries(entries);
}

function addSearchFigures(left: SearchFigures, right: SearchFigures): SearchFigures {
  return {
    queryTotal: left.queryTotal + right.queryTotal,
    queryTimeMs: left.queryTimeMs + right.queryTimeMs,
    fetchTotal: left.fetchTotal + right.fetchTotal,
    fetchTimeMs: left.fetchTimeMs + right.fetchTimeMs,
  };
}
