/**
 * What the requests of one route came to, as a row of numbers: how many there were, how large, and how many had which size; the same of the answers;
 * how many took how long. Sizes and times are counted by powers of two.
 */

export const RouteFigure = {
  requests: 0,
  requestBytes: 1,
  answers: 2,
  answerBytes: 3,
  /** From here on {@link SIZE_BUCKETS} each. */
  requestSizes: 4,
  answerSizes: 36,
  /** From here on {@link TIME_BUCKETS}. */
  answerTimes: 68,
} as const;

/** Below 1, 2, 4 and so on, to 2^30; the last has what is larger. */
export const SIZE_BUCKETS = 32;
export const TIME_BUCKETS = 18;
export const ROUTE_FIGURES = RouteFigure.answerTimes + TIME_BUCKETS;

/** The number of the bucket of so many that has it. */
export function bucketOf(value: number, buckets: number): number {
  if (value < 1) return 0;
  const last = buckets - 1;
  return value >= 2 ** 31 ? last : Math.min(last, 32 - Math.clz32(value));
}

/** Most places of a row have nothing: those that have something, each before its number. */
export type PackedRow = readonly number[];

export function packRow(row: Float64Array): PackedRow {
  const packed: number[] = [];
  for (const [place, value] of row.entries()) if (value !== 0) packed.push(place, value);
  return packed;
}

/** Places that this version does not know, of a node of another one, are left out. */
export function addRow(row: Float64Array, packed: PackedRow): Float64Array {
  for (let at = 0; at + 1 < packed.length; at += 2) {
    const place = packed[at] ?? 0;
    if (place < row.length) row[place] = (row[place] ?? 0) + (packed[at + 1] ?? 0);
  }
  return row;
}

export function sumOfRows(one: PackedRow, other: PackedRow): PackedRow {
  return packRow(addRow(addRow(emptyRow(), one), other));
}

export function emptyRow(): Float64Array {
  return new Float64Array(ROUTE_FIGURES);
}
