/**
 * A node with security under a mixed load for hours: every answer is checked against what the documents are, and what the node holds
 * is sampled. It may not grow: see `soak/slope.ts` for how that is judged.
 *
 * `npm run bench -- soak --full [seconds=N] [share=PERCENT] [seed=N] [samples=FILE] [only=STEPS]`. `share` is of one processor, for the node and its clients
 * together; `samples` gets a line of JSON for each sample; `only` has the beginnings of the names of steps, to find the one that makes something grow.
 */
import { spawn, type ChildProcess } from 'node:child_process';
import { appendFileSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { Chance } from './compare/chance.js';
import { doorsIn } from './memory-doors.js';
import { freePort } from './servers.js';
import { basic, Client } from './soak/client.js';
import type { Lane, NamedStep } from './soak/lane.js';
import { sample, SERIES, type Sample, type Series } from './soak/memory.js';
import { INDEX_BODY, Model } from './soak/model.js';
import { Pace } from './soak/pace.js';
import { slopeOf, type Slope } from './soak/slope.js';
import { KEEPING } from './soak/steps/keeping.js';
import { MISUSE } from './soak/steps/misuse.js';
import { PEOPLE } from './soak/steps/people.js';
import { SEARCHING } from './soak/steps/searching.js';
import { WRITING } from './soak/steps/writing.js';

const PASSWORD = 'the-soaks-first-password';
const START_MS_MAX = 60_000;
const LOOK_MS = 50;
const LANES = 3;
const STEPS: readonly NamedStep[] = [...WRITING, ...SEARCHING, ...KEEPING, ...PEOPLE, ...MISUSE];
/** The beginning is not judged: caches fill, code is compiled, heaps find their size. */
const WARM_UP = 1 / 3;
/** In the beginning of the warm-up the load goes as fast as it can: V8 compiles by how often something ran, which at a small share takes hours. */
const RUSH = 1 / 8;
/** A run that is shorter is not judged. */
const JUDGED_SECONDS_MIN = 1_800;
/** Growth in an hour that is no leak, as a share of what there is: what the system counts in is no finer. */
const TOLERATED: Readonly<Record<Series, number>> = {
  'private MB': 0.01,
  'mapped MB': 0.05,
  'JavaScript MB': 0.03,
  'native MB': 0.01,
  'code MB': 0.05,
  'open files': 0.01,
  threads: 0.01,
  mappings: 0.02,
  'breakers MB': 0.05,
};

interface Options {
  readonly seconds: number;
  readonly sampleSeconds: number;
  /** Of one processor, in percent; 0: as fast as it goes. */
  readonly share: number;
  readonly seed: number;
  readonly samples: string | undefined;
  readonly steps: readonly NamedStep[];
}

export default async function main(
  size: Readonly<Record<string, number>>,
  { samples, only = '' }: Readonly<Record<string, string>> = {},
): Promise<void> {
  const { seconds = 10, sampleSeconds = 10, share = 0, seed = 1 } = size;
  const beginnings = only === '' ? [''] : only.split(',').filter((each) => each !== '');
  const steps = STEPS.filter(({ name }) => beginnings.some((beginning) => name.startsWith(beginning)));
  if (steps.length === 0)
    throw new Error(`no step begins with [${only}]: there are ${STEPS.map(({ name }) => name).join(', ')}`);
  const options: Options = { seconds, sampleSeconds, share, seed, samples, steps };
  const scratch = mkdtempSync(path.join(tmpdir(), 'quarry-bench-soak-'));
  const { child, url } = await startNode(scratch);
  try {
    await soak(new Client(url, basic('admin', PASSWORD)), child.pid ?? 0, scratch, options);
    if (child.exitCode !== null || child.signalCode !== null) throw new Error('the node ended');
  } finally {
    const ended = new Promise((resolve) => child.once('exit', resolve));
    if (child.exitCode === null && child.kill('SIGTERM')) await ended;
    rmSync(scratch, { recursive: true, force: true });
  }
}

async function startNode(scratch: string): Promise<{ readonly child: ChildProcess; readonly url: string }> {
  const port = await freePort();
  const settings = [
    `http.port=${port}`,
    `path.data=${scratch}/data`,
    `path.logs=${scratch}/logs`,
    `path.config=${scratch}/config`,
    `path.repo=${scratch}/repository`,
    'node.processors=2',
    'security.enabled=true',
    'indices.requests.cache.size=1mb',
    // Scripts that do not compile are among the steps, and count as compiled.
    'script.max_compilations_rate=unlimited',
  ];
  const doors = doorsOf(scratch);
  mkdirSync(doors);
  const child = spawn(process.execPath, ['dist/program/main.js', ...settings.flatMap((each) => ['-E', each])], {
    stdio: ['ignore', 'ignore', 'inherit'],
    env: { ...process.env, ...doorsIn(doors), QUARRY_BOOTSTRAP_PASSWORD: PASSWORD },
  });
  const url = `http://127.0.0.1:${port}`;
  const client = new Client(url, basic('admin', PASSWORD));
  const startedMs = performance.now();
  for (;;) {
    const answer = await client.ask('GET', '/_cluster/health').catch(() => undefined);
    if (answer?.status === 200) return { child, url };
    if (performance.now() - startedMs > START_MS_MAX || child.exitCode !== null) {
      child.kill('SIGKILL');
      throw new Error('the node did not start');
    }
    await sleep(LOOK_MS);
  }
}

function doorsOf(scratch: string): string {
  return path.join(scratch, 'doors');
}

async function soak(client: Client, pid: number, scratch: string, options: Options): Promise<void> {
  const repository = { type: 'fs', settings: { location: `${scratch}/repository` } };
  await client.expect(200, 'PUT', '/_snapshot/soak', repository);
  // What is kept on purpose shall be as much as it ever is in the warm-up.
  const persistent = { 'xpack.security.authc.api_key.delete.retention_period': '1m' };
  await client.expect(200, 'PUT', '/_cluster/settings', { persistent });
  const lanes = Array.from({ length: LANES }, (_, at): Lane => {
    const chance = new Chance(options.seed * 1_000 + at);
    return { index: `soak-${at}`, client, chance, model: new Model(), isFirst: at === 0 };
  });
  for (const { index } of lanes) await client.expect(200, 'PUT', `/${index}`, INDEX_BODY);
  const pace = new Pace(pid, options.share / 100, options.seconds * RUSH);
  const startedMs = performance.now();
  const elapsed = (): number => (performance.now() - startedMs) / 1_000;
  const counts = new Map<string, number>();
  const run = { isFailed: false };
  const isOver = (): boolean => run.isFailed || elapsed() >= options.seconds;
  const works = lanes.map(async (lane) => {
    while (!isOver()) {
      await pace.wait();
      const { name, run: step } = nextStep(lane.chance, options.steps);
      await step(lane).catch((error: unknown) => {
        throw new Error(`${name} of [${lane.index}] after ${elapsed().toFixed(0)} s`, { cause: error });
      });
      counts.set(name, (counts.get(name) ?? 0) + 1);
    }
  });
  const samples: Sample[] = [];
  const watching = async (): Promise<void> => {
    while (!isOver()) {
      const taken = await sample(client, pid, doorsOf(scratch), elapsed());
      samples.push(taken);
      if (options.samples !== undefined) appendFileSync(options.samples, `${JSON.stringify(taken)}\n`);
      await sleep(options.sampleSeconds * 1_000);
    }
  };
  await Promise.all(
    [...works, watching()].map((work) =>
      work.catch((error: unknown) => {
        run.isFailed = true;
        throw error;
      }),
    ),
  );
  printCounts(counts, elapsed(), pace.spentMs);
  judge(samples, options.seconds);
}

function nextStep(chance: Chance, steps: readonly NamedStep[]): NamedStep {
  let left = chance.below(steps.reduce((sum, { weight }) => sum + weight, 0));
  for (const step of steps) {
    if (left < step.weight) return step;
    left -= step.weight;
  }
  throw new Error('no steps');
}

function printCounts(counts: ReadonlyMap<string, number>, seconds: number, spentMs: number): void {
  const total = [...counts.values()].reduce((sum, count) => sum + count, 0);
  const share = (spentMs / seconds / 10).toFixed(0);
  console.log(`${total} steps in ${seconds.toFixed(0)} s with ${share}% of a processor, every answer as expected`);
  for (const [name, count] of counts) console.log(`  ${name.padEnd(34)} ${count}`);
}

function judge(samples: readonly Sample[], seconds: number): void {
  const judged = samples.filter((taken) => taken.seconds >= seconds * WARM_UP);
  console.log(
    `${judged.length} of ${samples.length} samples, behind a warm-up of ${(seconds * WARM_UP).toFixed(0)} s:`,
  );
  console.log('                  first     last    level     growth an hour (95%)');
  const growing: Series[] = [];
  for (const name of SERIES) {
    const points = judged.map((taken) => ({ seconds: taken.seconds, value: taken.values[name] }));
    if (points.length === 0) continue;
    const slope = slopeOf(points, TOLERATED[name]);
    printSeries(name, points, slope);
    if (slope.grows && seconds >= JUDGED_SECONDS_MIN) growing.push(name);
  }
  if (growing.length > 0) throw new Error(`what the node holds grows: ${growing.join(', ')}`);
  console.log(seconds >= JUDGED_SECONDS_MIN ? 'nothing grows' : 'too short to be judged');
}

function printSeries(name: Series, points: readonly { readonly value: number }[], slope: Slope): void {
  const figures = [points[0]?.value, points.at(-1)?.value, slope.level].map((value) =>
    (value ?? NaN).toFixed(1).padStart(9),
  );
  const { perHour, low, high } = slope;
  const growth = `${perHour.toFixed(2)} (${low.toFixed(2)} to ${high.toFixed(2)})${slope.grows ? '  GROWS' : ''}`;
  console.log(`${name.padEnd(15)}${figures.join('')}     ${growth}`);
}
