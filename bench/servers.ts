/** Starts the servers that HTTP benches hold side by side: a Quarry node, and an OpenSearch where one can be had. */
import { execFileSync, spawn } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { peersFolder } from './peers.js';

export interface Server {
  readonly name: 'quarry' | 'opensearch';
  readonly url: string;
  readonly pid: number;
  stop(): Promise<void>;
}

const peer = path.join(peersFolder, 'opensearch');

export async function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = createServer();
    server.on('error', reject);
    server.listen(0, '127.0.0.1', () => {
      const address = server.address();
      server.close(() => {
        if (address !== null && typeof address === 'object') resolve(address.port);
        else reject(new Error('no port'));
      });
    });
  });
}

/** Waits until `GET /` answers, and returns the milliseconds since the call. */
export async function untilReady(url: string): Promise<number> {
  const started = performance.now();
  for (;;) {
    try {
      if ((await fetch(url)).ok) return performance.now() - started;
    } catch {
      // Not listening yet.
    }
    if (performance.now() - started > 60_000) throw new Error(`${url} did not answer within a minute`);
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
}

/** A directory below the system's temporary folder. */
export function scratchDirectory(): string {
  return mkdtempSync(path.join(tmpdir(), 'quarry-bench-'));
}

/**
 * A node of its own with an empty data directory below the system's temporary folder; `more`: arguments of its command. `kept`: the
 * directory of an earlier one, which stays.
 */
export async function startQuarry(
  settings: readonly string[] = [],
  more: readonly string[] = [],
  kept?: string,
): Promise<Server & { readonly readyMs: number }> {
  const scratch = kept ?? scratchDirectory();
  const port = await freePort();
  const all = [`http.port=${port}`, `path.data=${scratch}/data`, `path.logs=${scratch}/logs`, ...settings];
  const args = ['dist/program/main.js', ...all.flatMap((setting) => ['-E', setting]), ...more];
  const node = spawn(process.execPath, args, { stdio: ['ignore', 'ignore', 'inherit'] });
  const url = `http://127.0.0.1:${port}`;
  const readyMs = await untilReady(url);
  return {
    name: 'quarry',
    url,
    pid: node.pid ?? 0,
    readyMs,
    stop: async () => {
      node.kill('SIGTERM');
      await new Promise((resolve) => node.once('exit', resolve));
      if (kept === undefined) rmSync(scratch, { recursive: true, force: true });
    },
  };
}

/** A fresh OpenSearch on a free port, or `undefined` with a message where its start script is missing. */
export async function startOpenSearch(heap: string): Promise<Server | undefined> {
  if (!existsSync(path.join(peer, 'start.sh'))) {
    console.log(`no OpenSearch at ${peer}: measuring Quarry alone (set QUARRY_PEERS to the folder of peers)`);
    return undefined;
  }
  const scratch = mkdtempSync(path.join(tmpdir(), 'opensearch-bench-'));
  const port = await freePort();
  execFileSync('bash', [path.join(peer, 'start.sh'), String(port), scratch, heap], {
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  const pid = Number(readFileSync(path.join(scratch, 'pids'), 'utf8').trim());
  const url = `http://127.0.0.1:${port}`;
  await takeFullDisks(url);
  return {
    name: 'opensearch',
    url,
    pid,
    stop: async () => {
      execFileSync('bash', [path.join(peer, 'stop.sh'), scratch], { stdio: 'ignore' });
      rmSync(scratch, { recursive: true, force: true });
      return Promise.resolve();
    },
  };
}

/** A disk that others have filled keeps nobody from measuring: an OpenSearch takes no indices above its watermark. */
async function takeFullDisks(url: string): Promise<void> {
  const answer = await fetch(`${url}/_cluster/settings`, {
    method: 'PUT',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ persistent: { 'cluster.routing.allocation.disk.threshold_enabled': false } }),
  });
  if (!answer.ok) throw new Error(`PUT /_cluster/settings: ${answer.status} ${await answer.text()}`);
}

/** Of the clock in `/proc`. */
const TICKS_PER_SECOND = 100;

/** Processor time that a process has taken, in milliseconds. */
export function processorMs(pid: number): number {
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8')
    .replace(/^.*\) /, '')
    .split(' ');
  return ((Number(fields[11]) + Number(fields[12])) * 1_000) / TICKS_PER_SECOND;
}

/**
 * Private memory of a process in megabytes (10^6): pages that no other process has. Those of files that it alone has mapped are among
 * them, such as segments that were searched; see {@link anonymousMegabytes}.
 */
export function privateMegabytes(pid: number): number {
  const rollup = readFileSync(`/proc/${pid}/smaps_rollup`, 'utf8');
  const kilobytes = [...rollup.matchAll(/^Private_\w+:\s+(\d+) kB$/gm)].reduce(
    (sum, [, value]) => sum + Number(value),
    0,
  );
  return (kilobytes * 1024) / 1e6;
}

/**
 * Memory of a process in megabytes (10^6) that is no page of a file: the system cannot drop it and read it again. The
 * system keeps count of it, so that asking holds up the process for no time.
 */
export function anonymousMegabytes(pid: number): number {
  const status = readFileSync(`/proc/${pid}/status`, 'utf8');
  const kilobytes = Number(/^RssAnon:\s+(\d+) kB$/m.exec(status)?.[1] ?? NaN);
  return (kilobytes * 1024) / 1e6;
}
