/**
 * The bench suites by name, each with a small size (that also runs as a test, so that no bench rots) and a full one.
 *
 * `npm run bench -- NAME [--full]` runs one; `npm run bench` lists them. Results print as ratios measured side by side in one
 * run; dated records are kept in bench/records/.
 */
export interface BenchSuite {
  /** What is measured, in one sentence. */
  readonly about: string;
  /** File below bench/ whose default export runs the suite. */
  readonly file: string;
  readonly small: Readonly<Record<string, number>>;
  readonly full: Readonly<Record<string, number>>;
}

export const suites: Readonly<Record<string, BenchSuite>> = {
  'http-bulk': {
    about: '_bulk over HTTP with durability per request, prose and log lines, beside OpenSearch',
    file: 'http-bulk.ts',
    small: { documents: 2_000, passes: 1 },
    full: { documents: 140_000, passes: 2 },
  },
};
