/** Times searches with `quarry-load`, which sends one after the other over each connection. */
import { encodeRequests, type LoadRequest } from '../../load/requests.js';
import { runLoad, type LoadRun, type Measured } from '../../load/run.js';
import { quantile } from '../../quantile.js';
import type { Query } from '../data/queries.js';

export interface SearchTimes {
  readonly medianMs: number;
  readonly p99Ms: number;
  readonly perSecond: number;
  readonly answers: number;
}

export interface SearchEffort {
  readonly program: string;
  readonly url: string;
  readonly index: string;
  /** Of one round. */
  readonly seconds: number;
  readonly rounds: number;
}

function requestsOf(index: string, queries: readonly Query[]): Buffer {
  const requests = queries.map(({ body }): LoadRequest => {
    return { method: 'POST', path: `/${index}/_search?request_cache=false`, body };
  });
  return encodeRequests(requests);
}

/** A round in which a busy machine answers nothing is repeated, and is longer then. */
const LONGER = 8;
const ROUND_SECONDS_MAX = 60;

async function answered(program: string, url: string, run: LoadRun): Promise<Measured> {
  for (let seconds = run.seconds; seconds <= ROUND_SECONDS_MAX; seconds *= LONGER) {
    const measured = await runLoad(program, url, { ...run, seconds });
    if (measured.answers > 0) return measured;
  }
  throw new Error('no search was answered within a minute');
}

function timesOf(rounds: readonly Measured[]): SearchTimes {
  const median = (values: readonly number[]): number => quantile(values, 0.5);
  return {
    medianMs: median(rounds.map(({ p50 }) => p50)) / 1_000,
    p99Ms: median(rounds.map(({ p99 }) => p99)) / 1_000,
    perSecond: median(rounds.map(({ answers, seconds }) => answers / seconds)),
    answers: rounds.reduce((sum, { answers }) => sum + answers, 0),
  };
}

/** All queries in turn; the median of the rounds, after one that warms. `rate`: so many a second are due; 0: as fast as they are answered. */
export async function timeSearches(
  { program, url, index, seconds, rounds }: SearchEffort,
  queries: readonly Query[],
  connections = 1,
  rate = 0,
): Promise<SearchTimes> {
  const requests = requestsOf(index, queries);
  await runLoad(program, url, { requests, connections, rate, seconds: seconds / 2 });
  const measured: Measured[] = [];
  for (let round = 0; round < rounds; round++) {
    measured.push(await answered(program, url, { requests, connections, rate, seconds }));
  }
  return timesOf(measured);
}

/** Each kind of query alone. */
export async function timeKinds(
  effort: SearchEffort,
  queries: readonly Query[],
): Promise<Readonly<Record<string, { readonly median: number; readonly p99: number }>>> {
  const kinds: Record<string, { median: number; p99: number }> = {};
  for (const kind of new Set(queries.map((query) => query.kind))) {
    const times = await timeSearches(
      { ...effort, rounds: 1 },
      queries.filter((query) => query.kind === kind),
    );
    kinds[kind] = { median: times.medianMs, p99: times.p99Ms };
  }
  return kinds;
}

/** One slice of searches that go on beside a load. */
export async function timeSlice(
  { program, url, index, seconds }: SearchEffort,
  queries: readonly Query[],
): Promise<SearchTimes> {
  const requests = requestsOf(index, queries);
  return timesOf([await answered(program, url, { requests, connections: 1, rate: 0, seconds })]);
}
