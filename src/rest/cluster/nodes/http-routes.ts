/** `http.routes` of a node's statistics. */
import type { JsonObject } from '../../../base/json-value.js';
import { formatBytes, formatTime } from '../../../base/units.js';
import {
  addRow,
  emptyRow,
  RouteFigure,
  SIZE_BUCKETS,
  sumOfRows,
  TIME_BUCKETS,
  type PackedRow,
} from '../../route-figures.js';

export function httpRoutes(routes: Readonly<Record<string, PackedRow>>, isHuman: boolean): JsonObject {
  const rows = Object.entries(routes).map(([path, packed]) => [path, addRow(emptyRow(), packed)] as const);
  rows.sort(([left], [right]) => (left < right ? -1 : 1));
  return Object.fromEntries(rows.map(([path, row]) => [path, routeSection(row, isHuman)]));
}

export function routesOfNodes(nodes: readonly Readonly<Record<string, PackedRow>>[]): JsonObject {
  const sums = new Map<string, PackedRow>();
  for (const [path, row] of nodes.flatMap((routes) => Object.entries(routes))) {
    sums.set(path, sumOfRows(sums.get(path) ?? [], row));
  }
  return httpRoutes(Object.fromEntries(sums), false);
}

interface Unit {
  readonly name: string;
  readonly print: (value: number) => string;
}

const BYTES: Unit = { name: 'bytes', print: formatBytes };
const MILLIS: Unit = { name: 'millis', print: formatTime };

function routeSection(row: Float64Array, isHuman: boolean): JsonObject {
  const part = (from: number, buckets: number, unit: Unit): readonly JsonObject[] =>
    histogram(row.subarray(from, from + buckets), unit, isHuman);
  return {
    requests: {
      count: row[RouteFigure.requests] ?? 0,
      total_size_in_bytes: row[RouteFigure.requestBytes] ?? 0,
      size_histogram: part(RouteFigure.requestSizes, SIZE_BUCKETS, BYTES),
    },
    responses: {
      count: row[RouteFigure.answers] ?? 0,
      total_size_in_bytes: row[RouteFigure.answerBytes] ?? 0,
      size_histogram: part(RouteFigure.answerSizes, SIZE_BUCKETS, BYTES),
      handling_time_histogram: part(RouteFigure.answerTimes, TIME_BUCKETS, MILLIS),
    },
  };
}

/** From the first bucket that has something to the last. */
function histogram(counts: Float64Array, { name, print }: Unit, isHuman: boolean): readonly JsonObject[] {
  const first = counts.findIndex((count) => count > 0);
  const last = counts.findLastIndex((count) => count > 0);
  if (first === -1) return [];
  const bound = (word: 'ge' | 'lt', value: number): JsonObject => ({
    ...(isHuman ? { [word]: print(value) } : {}),
    [`${word}_${name}`]: value,
  });
  return [...counts.subarray(first, last + 1)].map((count, at) => {
    const bucket = first + at;
    return {
      ...(bucket === 0 ? {} : bound('ge', 2 ** (bucket - 1))),
      ...(bucket === counts.length - 1 ? {} : bound('lt', 2 ** bucket)),
      count,
    };
  });
}
