/**
 * Snapshots into a directory: how fast the first one is beside a plain copy of the same files to the same disk, what the second one and one after a
 * change of 1% add, how fast a restore is, what searches take meanwhile, and many small shards in one snapshot. Everything that is restored is counted.
 */
import { mkdtempSync, readdirSync, rmSync, statSync } from 'node:fs';
import { copyFile, mkdir, open } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { readCorpus } from './corpus.js';
import { quantile } from './quantile.js';
import { startQuarry, type Server } from './servers.js';

const DOCUMENTS_PER_REQUEST = 2_000;
const CHANGED_SHARE = 100;
const MEGABYTE = 1_000_000;
/** Indices that are made at once. */
const FILLERS = 8;

interface Answer {
  readonly count?: number;
  readonly snapshot?: { readonly state: string; readonly shards: { readonly total: number; readonly failed: number } };
}

async function ask(server: Server, method: string, target: string, body?: string | object): Promise<Answer> {
  const isLines = typeof body === 'string';
  const response = await fetch(`${server.url}${target}`, {
    method,
    headers: { 'content-type': isLines ? 'application/x-ndjson' : 'application/json' },
    ...(body === undefined ? {} : { body: isLines ? body : JSON.stringify(body) }),
  });
  const text = await response.text();
  if (!response.ok) throw new Error(`${method} ${target}: ${response.status} ${text.slice(0, 500)}`);
  return JSON.parse(text) as Answer;
}

/** Lengths of the files below, by their path. */
function filesBelow(folder: string): ReadonlyMap<string, number> {
  const entries = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
  return new Map(
    entries.map(({ parentPath, name }) => {
      const file = path.join(parentPath, name);
      return [file, statSync(file).size] as const;
    }),
  );
}

function bytesOf(files: ReadonlyMap<string, number>): number {
  return [...files.values()].reduce((sum, size) => sum + size, 0);
}

async function timed(work: () => Promise<unknown>): Promise<number> {
  const startedMs = performance.now();
  await work();
  return (performance.now() - startedMs) / 1_000;
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

class SnapshotBench {
  private readonly server: Server;
  private readonly folder: string;

  constructor(server: Server, folder: string) {
    this.server = server;
    this.folder = folder;
  }

  async register(name: string): Promise<void> {
    // As fast as the disk is.
    const settings = { location: name, max_snapshot_bytes_per_sec: '0', max_restore_bytes_per_sec: '0' };
    await ask(this.server, 'PUT', `/_snapshot/${name}`, { type: 'fs', settings });
  }

  /** Seconds; throws for a snapshot that lacks anything. */
  async take(repository: string, name: string, indices: string, shards: number): Promise<number> {
    let taken: Answer = {};
    const seconds = await timed(async () => {
      taken = await ask(this.server, 'PUT', `/_snapshot/${repository}/${name}?wait_for_completion=true`, { indices });
    });
    const isWhole = taken.snapshot?.state === 'SUCCESS' && taken.snapshot.shards.total === shards;
    if (!isWhole) throw new Error(`snapshot [${name}]: ${JSON.stringify(taken)}`);
    return seconds;
  }

  async restore(repository: string, name: string, into: string): Promise<number> {
    const body = { rename_pattern: '.+', rename_replacement: into };
    let restored: Answer = {};
    const seconds = await timed(async () => {
      const target = `/_snapshot/${repository}/${name}/_restore?wait_for_completion=true`;
      restored = await ask(this.server, 'POST', target, body);
    });
    if (restored.snapshot?.shards.failed !== 0) throw new Error(`restore of [${name}]: ${JSON.stringify(restored)}`);
    return seconds;
  }

  async expectCount(index: string, wanted: number): Promise<void> {
    const { count } = await ask(this.server, 'GET', `/${index}/_count`);
    if (count !== wanted) throw new Error(`[${index}] holds ${count} documents, not ${wanted}`);
  }

  bytes(repository: string): number {
    return bytesOf(filesBelow(path.join(this.folder, repository)));
  }

  /** The 99th percentile of searches, one after the other as long as the work lasts, in milliseconds. */
  async searchesDuring(
    index: string,
    work: Promise<unknown>,
  ): Promise<{ readonly p99: number; readonly count: number }> {
    const times: number[] = [];
    const state = { isOver: false };
    const over = work.finally(() => (state.isOver = true));
    while (!state.isOver) {
      const body = { size: 5, query: { match_all: {} }, from: times.length % 50 };
      times.push((await timed(() => ask(this.server, 'POST', `/${index}/_search`, body))) * 1_000);
    }
    await over;
    return { p99: quantile(times, 0.99), count: times.length };
  }
}

async function index(server: Server, name: string, lines: readonly string[]): Promise<void> {
  for (let from = 0; from < lines.length; from += DOCUMENTS_PER_REQUEST) {
    const part = lines.slice(from, from + DOCUMENTS_PER_REQUEST);
    await ask(server, 'POST', `/${name}/_bulk`, part.map((line) => `{"index":{}}\n${line}\n`).join(''));
  }
  await ask(server, 'POST', `/${name}/_flush`);
}

async function largeIndex(server: Server, bench: SnapshotBench, data: string, documents: number): Promise<void> {
  const lines = (await readCorpus('wiki', documents)).lines.map(String);
  await ask(server, 'PUT', '/large', { settings: { number_of_shards: 1, number_of_replicas: 0 } });
  await index(server, 'large', lines);
  await bench.register('large');
  const segments = new Map([...filesBelow(data)].filter(([file]) => file.endsWith('.seg')));
  const megabytes = bytesOf(segments) / MEGABYTE;
  const first = await bench.take('large', 'first', 'large', 1);
  const copy = await plainCopy(segments, path.join(data, 'plain-copy'));
  rmSync(path.join(data, 'plain-copy'), { recursive: true });
  console.log(
    `first snapshot of ${megabytes.toFixed(0)} MB: ${first.toFixed(2)} s, ${(megabytes / first).toFixed(0)} MB/s; a plain ` +
      `copy ${copy.toFixed(2)} s, ${(megabytes / copy).toFixed(0)} MB/s: ${((100 * copy) / first).toFixed(0)}% of its speed`,
  );
  const before = bench.bytes('large');
  const second = await bench.take('large', 'second', 'large', 1);
  const added = bench.bytes('large') - before;
  console.log(`second snapshot, nothing changed: ${second.toFixed(2)} s, ${added} bytes more`);
  await index(server, 'large', lines.slice(0, Math.ceil(lines.length / CHANGED_SHARE)));
  const third = await bench.take('large', 'third', 'large', 1);
  const more = bench.bytes('large') - before - added;
  console.log(
    `third snapshot, 1% more documents: ${third.toFixed(2)} s, ${((100 * more) / before).toFixed(2)}% more bytes`,
  );
  const restored = await bench.restore('large', 'first', 'restored');
  await bench.expectCount('restored', lines.length);
  console.log(`restore: ${restored.toFixed(2)} s, ${(megabytes / restored).toFixed(0)} MB/s`);
  await ask(server, 'DELETE', '/_snapshot/large/first,second,third');
  const idle = await bench.searchesDuring('restored', new Promise((resolve) => setTimeout(resolve, first * 1_000)));
  const during = await bench.searchesDuring('restored', bench.take('large', 'again', 'large', 1));
  console.log(
    `searches: p99 ${idle.p99.toFixed(2)} ms idle (${idle.count}), ${during.p99.toFixed(2)} ms during a snapshot ` +
      `(${during.count}): ${(during.p99 / idle.p99).toFixed(2)}x`,
  );
}

async function manyShards(server: Server, bench: SnapshotBench, shards: number): Promise<void> {
  const numbers = Array.from({ length: shards }, (_, at) => at).values();
  const filler = async (): Promise<void> => {
    for (const at of numbers) {
      await ask(server, 'PUT', `/small-${at}`, { settings: { number_of_shards: 1, number_of_replicas: 0 } });
      await index(server, `small-${at}`, [`{"n":${at}}`]);
    }
  };
  await Promise.all(Array.from({ length: FILLERS }, filler));
  await bench.register('many');
  const first = await bench.take('many', 'first', 'small-*', shards);
  const second = await bench.take('many', 'second', 'small-*', shards);
  console.log(`${shards} shards in one snapshot: ${first.toFixed(2)} s, again ${second.toFixed(2)} s`);
}

export default async function main(size: Readonly<Record<string, number>>): Promise<void> {
  const { documents = 1_000, shards = 10 } = size;
  const folder = mkdtempSync(path.join(tmpdir(), 'quarry-bench-repositories-'));
  const data = path.join(folder, 'data');
  const server = await startQuarry([`path.repo=${folder}`, `path.data=${data}`, 'cluster.max_shards_per_node=10000']);
  try {
    const bench = new SnapshotBench(server, folder);
    await largeIndex(server, bench, data, documents);
    await manyShards(server, bench, shards);
  } finally {
    await server.stop();
    rmSync(folder, { recursive: true, force: true });
  }
}
