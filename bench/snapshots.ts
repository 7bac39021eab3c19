/**
 * Snapshots: the corpora through a directory and through two real servers of the S3 protocol and back, with what each snapshot adds
 * and how fast the first one is beside a plain copy of the same files to the same disk; what searches take meanwhile; and many
 * shards in one snapshot.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { loadavg, tmpdir } from 'node:os';
import path from 'node:path';
import { readCorpus, type CorpusName } from './corpus.js';
import { startQuarry, type Server } from './servers.js';
import { ask, index } from './snapshots/client.js';
import { openPlaces, type Place } from './snapshots/places.js';
import { roundTrip, take } from './snapshots/round-trip.js';
import { searchesBeside } from './snapshots/searches.js';
import { Verdicts } from './snapshots/verdicts.js';

const CORPORA: readonly CorpusName[] = ['wiki', 'logs', 'cities', 'flights'];
/** Indices that are made at once. */
const FILLERS = 8;
const MANY_SECONDS_MAX = 60;
/** Fewer say little of speed, or of what 1% of them adds. */
const DOCUMENTS_ENOUGH = 100_000;

async function manyShards(server: Server, verdicts: Verdicts, place: Place, shards: number): Promise<void> {
  const numbers = Array.from({ length: shards }, (_, at) => at).values();
  const filler = async (): Promise<void> => {
    for (const at of numbers) {
      await ask(server, 'PUT', `/small-${at}`, { settings: { number_of_shards: 1, number_of_replicas: 0 } });
      await index(server, `small-${at}`, [Buffer.from(`{"n":${at}}`)]);
    }
  };
  await Promise.all(Array.from({ length: FILLERS }, filler));
  await ask(server, 'PUT', '/_snapshot/many', place.registration('many'));
  const first = await take(server, 'many/first', 'small-*', shards);
  const second = await take(server, 'many/second', 'small-*', shards);
  const measured = `${first.toFixed(2)} s, again ${second.toFixed(2)} s`;
  verdicts.add(`${shards} shards in one snapshot`, measured, 'a minute', Math.max(first, second) <= MANY_SECONDS_MAX);
}

export default async function main(size: Readonly<Record<string, number>>): Promise<void> {
  const { documents = 1_000, shards = 10, runs = 1, rounds = 1, seconds = 1, servers = 0 } = size;
  const folder = mkdtempSync(path.join(tmpdir(), 'quarry-bench-repositories-'));
  const data = path.join(folder, 'data');
  const verdicts = new Verdicts();
  console.log(`load ${loadavg()[0]?.toFixed(1)}`);
  if (documents < DOCUMENTS_ENOUGH)
    console.log('few documents: what a snapshot costs whatever is in it outweighs the rest');
  const places = await openPlaces(folder, servers);
  try {
    const [directory] = places.all;
    if (directory === undefined) throw new Error('there is no place for repositories');
    const settings = [`path.data=${data}`, 'cluster.max_shards_per_node=10000'];
    const server = await startQuarry(settings, places.nodeArguments);
    try {
      const wiki = await readCorpus('wiki', documents);
      for (const name of CORPORA) {
        const corpus = name === 'wiki' ? wiki : await readCorpus(name, documents);
        if (corpus.source === 'generated') console.log(`${name}: generated, since the corpus is not there`);
        await roundTrip({ server, verdicts, data }, corpus, places.all, runs);
      }
      await searchesBeside(server, verdicts, wiki, directory, { rounds, seconds });
      await manyShards(server, verdicts, directory, shards);
      console.log(verdicts.summary());
    } finally {
      await server.stop();
    }
  } finally {
    await places.stop();
    rmSync(folder, { recursive: true, force: true });
  }
}
