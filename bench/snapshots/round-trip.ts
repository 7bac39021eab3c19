/** A corpus through one repository and back: what each snapshot adds, how fast it is, and whether every document comes back. */
import { createHash } from 'node:crypto';
import { copyFile, mkdir, open, rm } from 'node:fs/promises';
import path from 'node:path';
import type { Corpus } from '../corpus.js';
import { quantile } from '../quantile.js';
import type { Server } from '../servers.js';
import { ask, index, timed, type Answer, type Hit, type Segment } from './client.js';
import { bytesOf, filesBelow, type Place } from './places.js';
import type { Verdicts } from './verdicts.js';

const MEGABYTE = 1_000_000;
/** Every so many documents are written anew: a change of one in a hundred. */
const CHANGED_STEP = 100;
const ADDED_PERCENT_MAX = 1.2;
const COPY_SHARE_MIN = 0.8;
const PAGE = 1_000;
const SETTLED_LOOKS = 3;
const SETTLED_MS = 500;

export interface RoundTrip {
  readonly server: Server;
  readonly verdicts: Verdicts;
  /** Of the node. */
  readonly data: string;
}

/** Throws for a snapshot that lacks anything. Answers with the seconds that it took. */
export async function take(server: Server, target: string, indices: string, shards: number): Promise<number> {
  let taken: Answer = {};
  const seconds = await timed(async () => {
    taken = await ask(server, 'PUT', `/_snapshot/${target}?wait_for_completion=true`, { indices });
  });
  const isWhole = taken.snapshot?.state === 'SUCCESS' && taken.snapshot.shards.total === shards;
  if (!isWhole) throw new Error(`snapshot [${target}]: ${JSON.stringify(taken)}`);
  return seconds;
}

export async function roundTrip(
  bench: RoundTrip,
  corpus: Corpus,
  places: readonly Place[],
  runs: number,
): Promise<void> {
  const { server, data } = bench;
  const { name, lines } = corpus;
  const before = new Set(filesBelow(data).keys());
  await ask(server, 'PUT', `/${name}`, { settings: { number_of_shards: 1, number_of_replicas: 0 } });
  await index(server, name, lines);
  await settled(server, name);
  const segments = new Map([...filesBelow(data)].filter(([file]) => file.endsWith('.seg') && !before.has(file)));
  for (const place of places) {
    if (place.name === 'fs') await besideCopies(bench, name, place, segments, runs);
    await begin(bench, name, place, bytesOf(segments));
  }
  const known = await segmentsOf(server, name);
  await index(server, name, lines, CHANGED_STEP);
  await settled(server, name);
  const changed = Math.ceil(lines.length / CHANGED_STEP);
  const merged = Object.entries(await segmentsOf(server, name)).flatMap(([segment, { num_docs: docs, ...more }]) =>
    segment in known || docs + more.deleted_docs <= changed ? [] : [more.size_in_bytes],
  );
  const mergedBytes = merged.reduce((sum, bytes) => sum + bytes, 0);
  const wanted = await digest(server, name);
  for (const place of places) await goOn(bench, name, place, mergedBytes, wanted);
  await ask(server, 'DELETE', `/${name}`);
}

function repositoryOf(corpus: string, place: Place): string {
  return `${corpus}-${place.name}`;
}

/** As many snapshots into new repositories as plain copies of the same files, in turns. */
async function besideCopies(
  { server, verdicts, data }: RoundTrip,
  name: string,
  place: Place,
  segments: ReadonlyMap<string, number>,
  runs: number,
): Promise<void> {
  const copies: number[] = [];
  const snapshots: number[] = [];
  for (let run = 0; run < runs; run++) {
    const folder = path.join(data, 'plain-copy');
    copies.push(await plainCopy(segments, folder));
    await rm(folder, { recursive: true });
    const repository = `${name}-run-${run}`;
    await ask(server, 'PUT', `/_snapshot/${repository}`, place.registration(repository));
    snapshots.push(await take(server, `${repository}/one`, name, 1));
    await ask(server, 'DELETE', `/_snapshot/${repository}/one`);
    await ask(server, 'DELETE', `/_snapshot/${repository}`);
  }
  const [copy, snapshot] = [quantile(copies, 0.5), quantile(snapshots, 0.5)];
  const megabytes = bytesOf(segments) / MEGABYTE;
  const rate = (seconds: number): string => `${(megabytes / seconds).toFixed(0)} MB/s`;
  const share = copy / snapshot;
  const measured = `${rate(snapshot)} of ${megabytes.toFixed(1)} MB, ${(100 * share).toFixed(0)}% of a plain copy (${rate(copy)})`;
  verdicts.add(`${name}: speed of a first snapshot`, measured, '80%', share >= COPY_SHARE_MIN);
}

/** Seconds of a copy that is on the disk when it ends. */
async function plainCopy(files: ReadonlyMap<string, number>, into: string): Promise<number> {
  await mkdir(into, { recursive: true });
  return timed(async () => {
    for (const [at, file] of [...files.keys()].entries()) {
      const target = path.join(into, String(at));
      await copyFile(file, target);
      const copied = await open(target, 'r');
      await copied.sync();
      await copied.close();
    }
  });
}

/** The first snapshot, and one of what has not changed. */
async function begin({ server, verdicts }: RoundTrip, name: string, place: Place, bytes: number): Promise<void> {
  const repository = repositoryOf(name, place);
  await ask(server, 'PUT', `/_snapshot/${repository}`, place.registration(repository));
  const first = await take(server, `${repository}/first`, name, 1);
  const megabytes = bytes / MEGABYTE;
  console.log(`${name} through ${place.name}: ${megabytes.toFixed(1)} MB in ${first.toFixed(2)} s`);
  const before = await place.blobs(repository);
  const second = await take(server, `${repository}/second`, name, 1);
  const added = without(await place.blobs(repository), before);
  const files = new Map([...added].filter(([blob]) => isOfSegments(blob)));
  const measured = `${files.size} files of segments, ${bytesOf(added)} bytes in all, ${second.toFixed(2)} s`;
  verdicts.add(`${name} through ${place.name}: nothing changed`, measured, 'no file of segments', files.size === 0);
}

/** A snapshot after the change, restored and compared. */
async function goOn(
  { server, verdicts }: RoundTrip,
  name: string,
  place: Place,
  mergedBytes: number,
  wanted: Digest,
): Promise<void> {
  const repository = repositoryOf(name, place);
  const before = await place.blobs(repository);
  const third = await take(server, `${repository}/third`, name, 1);
  const added = bytesOf(without(await place.blobs(repository), before));
  // The first snapshot alone: the second one brought no files.
  const percent = (100 * Math.max(0, added - mergedBytes)) / bytesOf(before);
  const merged = `${(mergedBytes / MEGABYTE).toFixed(2)} MB of merged segments apart`;
  const measured = `${percent.toFixed(2)}% more bytes, ${merged}, ${third.toFixed(2)} s`;
  verdicts.add(`${name} through ${place.name}: 1% changed`, measured, '1.2%', percent <= ADDED_PERCENT_MAX);
  const restored = `${repository}-restored`;
  let failed: number | undefined;
  const seconds = await timed(async () => {
    const body = { rename_pattern: '.+', rename_replacement: restored };
    const answer = await ask(server, 'POST', `/_snapshot/${repository}/third/_restore?wait_for_completion=true`, body);
    failed = answer.snapshot?.shards.failed;
  });
  const found = await digest(server, restored);
  const isSame = failed === 0 && found.count === wanted.count && found.sum === wanted.sum;
  const what = `${name} through ${place.name}: restored`;
  verdicts.add(what, `${found.count} documents, ${seconds.toFixed(2)} s`, `all ${wanted.count}, as they were`, isSame);
  await ask(server, 'DELETE', `/${restored}`);
  await ask(server, 'DELETE', `/_snapshot/${repository}/first,second,third`);
  await ask(server, 'DELETE', `/_snapshot/${repository}`);
}

function without(blobs: ReadonlyMap<string, number>, known: ReadonlyMap<string, number>): ReadonlyMap<string, number> {
  return new Map([...blobs].filter(([blob]) => !known.has(blob)));
}

function isOfSegments(blob: string): boolean {
  return /(?:^|\/)file-[^/]*$/.test(blob);
}

async function segmentsOf(server: Server, name: string): Promise<Readonly<Record<string, Segment>>> {
  const { indices } = await ask(server, 'GET', `/${name}/_segments`);
  return indices?.[name]?.shards?.['0']?.[0]?.segments ?? {};
}

/** Returns when no merge runs and none has been made for a while. */
async function settled(server: Server, name: string): Promise<void> {
  let known = -1;
  for (let looks = 0; looks < SETTLED_LOOKS;) {
    const { indices } = await ask(server, 'GET', `/${name}/_stats/merge`);
    const { current, total } = indices?.[name]?.total?.merges ?? { current: 0, total: 0 };
    looks = current === 0 && total === known ? looks + 1 : 0;
    known = total;
    await new Promise((resolve) => setTimeout(resolve, SETTLED_MS));
  }
  await ask(server, 'POST', `/${name}/_flush`);
}

interface Digest {
  readonly count: number;
  /** Of hashes of the documents, in whatever order. */
  readonly sum: bigint;
}

async function digest(server: Server, name: string): Promise<Digest> {
  await ask(server, 'POST', `/${name}/_refresh`);
  let page = await ask(server, 'POST', `/${name}/_search?scroll=5m`, { size: PAGE, sort: ['_doc'] });
  let [count, sum] = [0, 0n];
  for (let hits = page.hits?.hits ?? []; hits.length > 0; hits = page.hits?.hits ?? []) {
    count += hits.length;
    for (const hit of hits) sum = BigInt.asUintN(64, sum + hashOf(hit));
    page = await ask(server, 'POST', '/_search/scroll', { scroll: '5m', scroll_id: page._scroll_id });
  }
  await ask(server, 'DELETE', '/_search/scroll', { scroll_id: page._scroll_id });
  return { count, sum };
}

function hashOf({ _id: id, _source: source }: Hit): bigint {
  return createHash('sha256')
    .update(`${id}\n${JSON.stringify(source)}`)
    .digest()
    .readBigUInt64LE();
}
