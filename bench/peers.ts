/** The in-process peers (tantivy and Lucene) behind `run.sh` of the folder of peers, where it is to be had. */
import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import path from 'node:path';

export type PeerName = 'tantivy' | 'lucene';

/** What `index` prints, of what is used here. */
export interface PeerIndexing {
  readonly engine: string;
  readonly mb_per_cpu_s: number;
  readonly index_bytes: number;
}

/** Where the peers are, if anywhere. */
export const peersFolder = path.resolve(process.env['QUARRY_PEERS'] ?? '../shared/peers');

/** The peers that can be run; none, with a message, where the folder is missing. */
export function peers(): readonly PeerName[] {
  if (existsSync(path.join(peersFolder, 'run.sh'))) return ['tantivy', 'lucene'];
  console.log(`no peers at ${peersFolder}: measuring Quarry alone (set QUARRY_PEERS to their folder)`);
  return [];
}

function run(args: readonly string[], environment: Readonly<Record<string, string>>): string {
  const env = { ...process.env, ...environment };
  return execFileSync('bash', [path.join(peersFolder, 'run.sh'), ...args], {
    env,
    stdio: ['ignore', 'pipe', 'ignore'],
    maxBuffer: 1 << 28,
  }).toString();
}

export function buildPeer(peer: PeerName): void {
  run(['build', peer], {});
}

/** Indexes on one thread. The last line that the peer prints is its report. */
export function indexWithPeer(
  peer: PeerName,
  corpus: string,
  index: string,
  environment: Readonly<Record<string, string>>,
): PeerIndexing {
  const lines = run([peer, 'index', corpus, index], { THREADS: '1', ...environment })
    .trim()
    .split('\n');
  return JSON.parse(lines.at(-1) ?? '') as PeerIndexing;
}

/** One JSON line for each query and command, as `query_corpus` writes them. */
export function queryPeer(
  peer: PeerName,
  index: string,
  queries: string,
  environment: Readonly<Record<string, string>>,
): string {
  return run([peer, 'query', index, queries], environment);
}
