/** What searches take while snapshots are made, beside what they take when nothing else is done. */
import { corpusQueries, type Corpus } from '../corpus.js';
import { quantile } from '../quantile.js';
import type { Server } from '../servers.js';
import { ask, index, timed } from './client.js';
import type { Place } from './places.js';
import { take } from './round-trip.js';
import type { Verdicts } from './verdicts.js';

const QUERIES = 500;
const SHARE = 0.99;
const RATIO_MAX = 1.3;
const INDEX = 'searched';

export interface SearchSize {
  /** Of idle times and times with snapshots, in turns. */
  readonly rounds: number;
  readonly seconds: number;
}

/** At the speed that the settings have when nobody changes them, and as fast as the disk is. */
export async function searchesBeside(
  server: Server,
  verdicts: Verdicts,
  corpus: Corpus,
  place: Place,
  size: SearchSize,
): Promise<void> {
  await ask(server, 'PUT', `/${INDEX}`, { settings: { number_of_shards: 1, number_of_replicas: 0 } });
  await index(server, INDEX, corpus.lines);
  const bodies = queriesOf(corpus);
  // What is asked for the first time is not measured.
  await searchFor(server, bodies, size.seconds);
  for (const [speed, limits] of [
    ['at the default rate', { max_snapshot_bytes_per_sec: undefined }],
    ['without a rate', {}],
  ] as const) {
    const idle: number[] = [];
    const busy: number[] = [];
    for (let round = 0; round < size.rounds; round++) {
      idle.push(...(await searchFor(server, bodies, size.seconds)));
      busy.push(...(await searchWhile(server, bodies, place, limits, size.seconds)));
    }
    const [before, meanwhile] = [quantile(idle, SHARE), quantile(busy, SHARE)];
    const ratio = meanwhile / before;
    const measured =
      `${ratio.toFixed(2)}x, ${meanwhile.toFixed(1)} ms (${busy.length} searches) beside ${before.toFixed(1)} ms ` +
      `(${idle.length})`;
    verdicts.add(`p99 of searches during snapshots ${speed}`, measured, '1.3x', ratio <= RATIO_MAX);
  }
  await ask(server, 'DELETE', `/${INDEX}`);
}

function queriesOf(corpus: Corpus): readonly object[] {
  const lines = corpusQueries(corpus, QUERIES).trim().split('\n');
  return lines.map((line) => {
    const { q } = JSON.parse(line) as { readonly q: readonly string[] };
    return { size: 10, query: { match: { body: q.join(' ') } } };
  });
}

/** Times of one search after the other, in milliseconds. */
async function searchFor(server: Server, bodies: readonly object[], seconds: number): Promise<readonly number[]> {
  const untilMs = performance.now() + seconds * 1_000;
  return searchUntil(server, bodies, () => performance.now() >= untilMs);
}

async function searchUntil(
  server: Server,
  bodies: readonly object[],
  isOver: () => boolean,
): Promise<readonly number[]> {
  const times: number[] = [];
  for (let at = 0; !isOver(); at = (at + 1) % bodies.length) {
    times.push((await timed(() => ask(server, 'POST', `/${INDEX}/_search`, bodies[at]))) * 1_000);
  }
  return times;
}

/** Each snapshot is the first of its repository, so that it copies everything. */
async function searchWhile(
  server: Server,
  bodies: readonly object[],
  place: Place,
  limits: object,
  seconds: number,
): Promise<readonly number[]> {
  const untilMs = performance.now() + seconds * 1_000;
  const repositories: string[] = [];
  let isOver = false;
  const copying = async (): Promise<void> => {
    while (performance.now() < untilMs) {
      const repository = `beside-${repositories.length}`;
      const { type, settings } = place.registration(repository) as { readonly type: string; readonly settings: object };
      await ask(server, 'PUT', `/_snapshot/${repository}`, { type, settings: { ...settings, ...limits } });
      repositories.push(repository);
      await take(server, `${repository}/one`, INDEX, 1);
    }
  };
  const copied = copying().finally(() => (isOver = true));
  const times = await searchUntil(server, bodies, () => isOver);
  await copied;
  for (const repository of repositories) {
    await ask(server, 'DELETE', `/_snapshot/${repository}/one`);
    await ask(server, 'DELETE', `/_snapshot/${repository}`);
  }
  return times;
}
