/** What all commands that measure do: read the data, go through the points, keep what was measured. */
import { mkdirSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { seededRandom } from '../../../src/base/random.js';
import { buildProgram } from '../../programs.js';
import { fingerprintOf, readDataset, type DataOptions, type Dataset } from '../data/dataset.js';
import { placeOf } from '../data/files.js';
import { prepare } from '../data/prepare.js';
import { measurePoint, type PointData } from '../measure/measure-point.js';
import { planOfPoints } from '../plan-of-points.js';
import type { Point, PointSpec } from '../point.js';
import { loadOfMachine, provenanceOf } from '../provenance.js';
import { ResultsFile, RESULTS_FORMAT, type MeasuredPoint, type RunHeader } from '../results.js';
import { runPoints } from '../runner.js';
import { processorsOfMachine, type Size, type SizeName } from '../sizes.js';

/** Of the command line, as commander gives it. */
export interface RunGiven {
  readonly size: SizeName;
  readonly seed: number;
  readonly repeats?: number;
  readonly seconds?: number;
  readonly output?: string;
  readonly fresh?: boolean;
  readonly points?: number;
}

export interface RunData {
  readonly folder: string;
  readonly dataset: Dataset;
  readonly data: PointData;
}

export interface RunRequest extends RunData {
  readonly experiment: string;
  readonly specs: readonly PointSpec[];
  readonly given: RunGiven;
  readonly size: Size;
}

export interface MeasuredRun {
  readonly header: RunHeader;
  readonly points: readonly MeasuredPoint[];
  /** All points were measured. */
  readonly isWhole: boolean;
}

const REPEATS_MAX = 100;
const OURS = /^(?:results\.jsonl|report\.html|drawn-\d+\.(?:nd)?json)$/u;
const DEFAULT_FOLDER = 'bench/results/local';

/** Options that say where results go, how far a run goes or what is made of it, and not what is measured. */
const NOT_OF_POINTS: ReadonlySet<string> = new Set([
  ...['output', 'fresh', 'points'],
  ...['wanted', 'p99', 'retention', 'replicas', 'searchesPerSecond', 'shardSize'],
  ...['nodeProcessors', 'nodeMemory', 'nodeDisk', 'worstP99'],
]);

/** Documents, mapping and queries, and the folder of the run. */
export async function readData(name: string, given: RunGiven & DataOptions, count: number): Promise<RunData> {
  const folder = folderOf(name, given);
  const dataset = await readDataset(given, count, folder);
  say(`${dataset.name} (${dataset.origin}): ${dataset.lines.length} documents, ${(dataset.bytes / 1e6).toFixed(1)} MB`);
  if (dataset.lines.length < count) say(`there are no ${count} documents: the largest point has all`);
  return { folder, dataset, data: await prepare(dataset, given.seed) };
}

function folderOf(name: string, { output, fresh, corpus, documents, from }: RunGiven & DataOptions): string {
  const label = path.basename(documents ?? from ?? corpus ?? 'wiki').replace(/\.[a-z]+$/u, '');
  const folder = output === undefined ? path.join(DEFAULT_FOLDER, `${name}-${label}`) : placeOf(output);
  mkdirSync(folder, { recursive: true });
  // What is ours; the folder may have other things.
  const ours = fresh === true ? readdirSync(folder).filter((file) => OURS.test(file)) : [];
  for (const file of ours) rmSync(path.join(folder, file));
  return folder;
}

export async function measureRun(request: RunRequest): Promise<MeasuredRun> {
  const { folder, data, specs, given, size } = request;
  const header = headerOf(request);
  const results = new ResultsFile(path.join(folder, 'results.jsonl'), header);
  warnOfLoad();
  const repeats = given.repeats ?? size['repeats'] ?? 1;
  if (repeats > REPEATS_MAX) throw new Error(`--repeats ${repeats}: at most ${REPEATS_MAX}`);
  const all = planOfPoints(specs, repeats, seededRandom(given.seed));
  const seconds = given.seconds ?? size['seconds'] ?? 1;
  const rounds = size['rounds'] ?? 1;
  const effort = { program: buildProgram('quarry-load'), seconds, rounds, idleMs: size['idleMs'] ?? 0 };
  try {
    const points = await runPoints({
      points: all,
      results,
      weigh: ({ spec }) => weightOf(spec, seconds, rounds),
      measure: ({ spec }) => measurePoint(spec, data, effort),
      pointsMax: given.points ?? Infinity,
      say,
      now: Date.now,
    });
    return { header, points, isWhole: points.length === all.length };
  } finally {
    results.close();
  }
}

function say(line: string): void {
  console.log(line);
}

function headerOf({ experiment, dataset, data, given }: RunRequest): RunHeader {
  const options = Object.entries(given)
    .filter(([option, value]) => !NOT_OF_POINTS.has(option) && value !== undefined)
    .map(([option, value]): [string, string] => [option, String(value)]);
  const words = process.argv.slice(2).filter((word) => word !== '--fresh');
  const whole = { ...dataset, mappings: data.mappings, queries: data.queries };
  return {
    format: RESULTS_FORMAT,
    experiment,
    seed: given.seed,
    options: Object.fromEntries(options),
    dataset: {
      name: dataset.name,
      origin: dataset.origin,
      fingerprint: fingerprintOf(whole),
      documents: dataset.lines.length,
      bytes: dataset.bytes,
      queries: data.queries.length,
    },
    ...provenanceOf(`npm run experiment -- ${words.map(quoted).join(' ')}`, tmpdir(), Date.now()),
  };
}

function quoted(word: string): string {
  return /^[\w@%+=:,./-]+$/u.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`;
}

function warnOfLoad(): void {
  const load = loadOfMachine();
  const processors = processorsOfMachine();
  if (load > processors / 2) {
    say(
      `the machine is busy (load of ${load.toFixed(1)} on ${processors} processors): times will be those of a busy machine`,
    );
  }
}

/** Seconds, roughly: a start, the load, and the searches. */
function weightOf({ documents, measures, nodes, steady }: Point['spec'], seconds: number, rounds: number): number {
  const loading = steady !== undefined && steady.rate > 0 ? documents / steady.rate : documents / 20_000;
  const searching =
    (rounds + 0.5) * seconds * (measures.includes('rate') ? 3 : 1) + (measures.includes('kinds') ? 10 * seconds : 0);
  return 1 + nodes + loading + searching + (measures.includes('restart') ? 2 : 0);
}
