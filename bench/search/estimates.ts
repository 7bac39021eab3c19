/**
 * Estimates of a server held against the exact figure of the documents: two servers that estimate may both be right and differ.
 * Each function tells what is wrong with the aggregations of an answer, or nothing.
 */

export type Document = Readonly<Record<string, unknown>>;
export type Estimate = (documents: readonly Document[], aggregations: unknown) => string | undefined;

/** Units of the scale of the digests (kernels, `aggs/tdigest.rs`): five for each of the API's compression, which is 100 unless given. */
const DIGEST_UNITS = 500;
/** Standard error of the sketches (kernels, `aggs/hll.rs`); one of 15,000 estimates is off by more than four. */
const SKETCH_ERROR = 4 * 0.0081;
/** Up to so many distinct values are counted exactly. */
const PRECISION_THRESHOLD = 3_000;

/** The aggregation `a`: percentiles of a number, each within the width that the digest gives one of its centroids there. */
export function percentilesOf(field: string): Estimate {
  return (documents, aggregations) => {
    const sorted = documents.map((document) => Number(document[field])).sort((left, right) => left - right);
    const { values } = (aggregations as { a: { values: Readonly<Record<string, number>> } }).a;
    for (const [percent, found] of Object.entries(values)) {
      const share = Number(percent) / 100;
      const allowed = (2 * Math.PI * Math.sqrt(share * (1 - share))) / DIGEST_UNITS + 1 / sorted.length;
      // Equal values have all the ranks from the first of them to the last.
      const [least, most] = ranksOf(sorted, found);
      if (share >= least - allowed && share <= most + allowed) continue;
      const exact = sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))];
      return `percentile ${percent}: ${found} has the rank ${least}, the exact value is ${exact}`;
    }
    return undefined;
  };
}

function ranksOf(sorted: readonly number[], value: number): readonly [number, number] {
  const below = sorted.findIndex((each) => each >= value);
  const above = sorted.findIndex((each) => each > value);
  const shareOf = (index: number): number => (index === -1 ? 1 : index / sorted.length);
  return [shareOf(below), shareOf(above)];
}

/** The aggregation `a`: how many distinct values a field has. */
export function cardinalityOf(field: string): Estimate {
  return (documents, aggregations) => {
    const exact = new Set(documents.map((document) => document[field])).size;
    const { value } = (aggregations as { a: { value: number } }).a;
    const allowed = exact <= PRECISION_THRESHOLD ? 0 : exact * SKETCH_ERROR;
    return Math.abs(value - exact) <= allowed ? undefined : `${value} distinct values, there are ${exact}`;
  };
}
