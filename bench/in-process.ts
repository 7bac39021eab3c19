/**
 * Indexing and queries in process, on one thread and one segment, beside tantivy and Lucene.
 *
 * Quarry's side are `index_corpus` and `query_corpus` of `native-bindings/corpus`; the latter checks every answer against brute
 * force. Peers are run one after the other on the same files, and their counts must be Quarry's.
 */
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { corpusQueries, readCorpus } from './corpus.js';
import { buildProgram, runProgram } from './programs.js';
import { quantile } from './quantile.js';
import { buildPeer, indexWithPeer, peers, queryPeer, type PeerName } from './peers.js';

/** Words as `query_corpus` cuts them. */
const simpleWords = { TOKENIZER: 'simple', STEMMER: 'none', MERGE: '1' };

interface QueryTime {
  readonly q: readonly string[];
  readonly kind: string;
  readonly cmd: string;
  readonly us: number;
  readonly count: number | null;
}

function figure(text: string, pattern: RegExp): number {
  const value = Number(pattern.exec(text)?.[1]);
  if (!Number.isFinite(value)) throw new Error(`no figure ${pattern.source} in: ${text.slice(0, 500)}`);
  return value;
}

function measureIndexing(corpus: string, scratch: string, known: readonly PeerName[]): void {
  const text = runProgram(buildProgram('index_corpus'), [corpus, path.join(scratch, 'quarry')]).toString();
  const speed = figure(text, /: ([\d.]+) MB\/s of CPU/);
  const megabytes = figure(text, /one segment of ([\d.]+) MB/);
  console.log(`indexing: quarry ${speed.toFixed(1)} MB per CPU second; one segment of ${megabytes.toFixed(1)} MB`);
  for (const peer of known) {
    const indexed = indexWithPeer(peer, corpus, path.join(scratch, peer), {});
    const merged = indexWithPeer(peer, corpus, path.join(scratch, peer), { MERGE: '1' });
    const ratio = speed / indexed.mb_per_cpu_s;
    const size = (megabytes * 1e6) / merged.index_bytes;
    console.log(
      `  ${peer} (${indexed.engine}) ${indexed.mb_per_cpu_s.toFixed(1)} MB per CPU second: ${ratio.toFixed(1)}x; ` +
        `one segment of ${(merged.index_bytes / 1e6).toFixed(1)} MB: quarry's is ${size.toFixed(2)} of it`,
    );
  }
}

function parseTimes(lines: string): QueryTime[] {
  return lines
    .split('\n')
    .filter((line) => line.startsWith('{'))
    .map((line) => JSON.parse(line) as QueryTime);
}

const nameOf = ({ q, kind, cmd }: QueryTime): string => `${kind} ${cmd} ${q.join(' ')}`;

/** Times by kind and command. */
function grouped(times: readonly QueryTime[]): Map<string, QueryTime[]> {
  const groups = new Map<string, QueryTime[]>();
  for (const time of times) {
    const group = `${time.kind} ${time.cmd}`;
    const known = groups.get(group);
    if (known === undefined) groups.set(group, [time]);
    else known.push(time);
  }
  return groups;
}

function meanAndP99(times: readonly QueryTime[]): { mean: number; p99: number } {
  const microseconds = times.map(({ us }) => us);
  const sum = microseconds.reduce((total, us) => total + us, 0);
  return { mean: sum / times.length, p99: quantile(microseconds, 0.99) };
}

/** How many counts differ: tokenizers disagree about a few characters, so a handful of documents may. */
function differences(ours: readonly QueryTime[], theirs: readonly QueryTime[]): number {
  const counts = new Map(theirs.map((time) => [nameOf(time), time.count]));
  return ours.filter((time) => time.count !== null && Math.abs((counts.get(nameOf(time)) ?? -100) - time.count) > 5)
    .length;
}

function measureQueries(corpus: string, queries: string, scratch: string, known: readonly PeerName[]): void {
  const out = path.join(scratch, 'quarry.jsonl');
  runProgram(buildProgram('query_corpus'), [corpus, queries], { environment: { OUT: out } });
  const ours = parseTimes(readFileSync(out, 'utf8'));
  if (ours.length === 0) throw new Error('query_corpus measured nothing');
  const others = known.map((peer) => {
    const index = path.join(scratch, `${peer}-simple`);
    indexWithPeer(peer, corpus, index, simpleWords);
    const times = parseTimes(queryPeer(peer, index, queries, { ...simpleWords, WARMUP_S: '25' }));
    const different = differences(ours, times);
    if (different > 0) throw new Error(`${peer} counts otherwise than quarry in ${different} queries`);
    return { peer, groups: grouped(times) };
  });
  for (const [group, times] of grouped(ours)) reportGroup(group, times, others);
}

interface PeerTimes {
  readonly peer: PeerName;
  readonly groups: ReadonlyMap<string, readonly QueryTime[]>;
}

/**
 * A line for a kind and command: means and p99, how many times as long the peer that is better in each takes, and how many queries some peer
 * answers sooner.
 */
function reportGroup(group: string, ours: readonly QueryTime[], others: readonly PeerTimes[]): void {
  const own = meanAndP99(ours);
  const theirs = others.map(({ peer, groups }) => {
    const ofGroup = groups.get(group) ?? [];
    return { peer, ...meanAndP99(ofGroup), byName: new Map(ofGroup.map((time) => [nameOf(time), time.us])) };
  });
  const shown = [{ peer: 'quarry', ...own }, ...theirs]
    .map(({ peer, mean, p99 }) => `${peer} ${mean.toFixed(1)} (${p99.toFixed(1)})`)
    .join(', ');
  const slower = ours.filter((time) => theirs.some(({ byName }) => (byName.get(nameOf(time)) ?? Infinity) < time.us));
  const ratio = Math.min(...theirs.map(({ mean }) => mean)) / own.mean;
  const ratioOfP99 = Math.min(...theirs.map(({ p99 }) => p99)) / own.p99;
  const verdict = `: ${ratio.toFixed(1)}x (${ratioOfP99.toFixed(1)}x) the better; slower in ${slower.length} of ${ours.length}`;
  console.log(`${group.padEnd(26)} mean us (p99): ${shown}${theirs.length > 0 ? verdict : ''}`);
}

export default async function main(size: Readonly<Record<string, number>>): Promise<void> {
  const scratch = mkdtempSync(path.join(tmpdir(), 'quarry-in-process-'));
  try {
    const known = size['peers'] === 1 ? peers() : [];
    known.forEach(buildPeer);
    const corpus = await readCorpus('wiki', size['documents'] ?? 1_000);
    console.log(`${corpus.source} prose, ${corpus.lines.length} documents, ${(corpus.bytes / 1e6).toFixed(1)} MB`);
    const file = path.join(scratch, 'wiki.ndjson');
    const newline = Buffer.from('\n');
    writeFileSync(file, Buffer.concat(corpus.lines.flatMap((line) => [line, newline])));
    for (const folder of ['quarry', 'tantivy', 'lucene']) mkdirSync(path.join(scratch, folder));
    measureIndexing(file, scratch, known);
    const queries = path.join(scratch, 'queries.jsonl');
    writeFileSync(queries, corpusQueries(corpus, size['queries'] ?? 20));
    measureQueries(file, queries, scratch, known);
  } finally {
    rmSync(scratch, { recursive: true, force: true });
  }
}
