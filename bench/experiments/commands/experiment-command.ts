/** `npm run experiment -- capacity [options]` and its like. */
import { mkdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { Option, type Command } from 'commander';
import type { ExperimentSuite } from '../../../bench.config.js';
import { seededRandom } from '../../../src/base/random.js';
import type { CorpusName } from '../../corpus.js';
import { buildProgram } from '../../programs.js';
import { fingerprintOf, readDataset, type DataOptions, type Dataset } from '../data/dataset.js';
import { placeOf } from '../data/files.js';
import { prepare } from '../data/prepare.js';
import type { Experiment, SweepOptions } from '../experiment.js';
import { measurePoint, type PointData } from '../measure/measure-point.js';
import { planOfPoints } from '../plan-of-points.js';
import type { Point } from '../point.js';
import { loadOfMachine, provenanceOf } from '../provenance.js';
import { listOf, parseCount, parseShare, parseSize } from '../quantities.js';
import { writeReport } from '../report/write-report.js';
import { ResultsFile, RESULTS_FORMAT, type RunHeader } from '../results.js';
import { runPoints } from '../runner.js';
import { processorsOfMachine, sweepDefaults, type Size, type SizeName } from '../sizes.js';

/** As commander gives it: what was not said is absent. */
interface Given extends DataOptions, Partial<Omit<SweepOptions, 'documents'>> {
  readonly size: SizeName;
  readonly count?: number;
  readonly seed: number;
  readonly repeats?: number;
  readonly seconds?: number;
  readonly output?: string;
  readonly fresh?: boolean;
  readonly points?: number;
}

const CORPORA: readonly CorpusName[] = ['wiki', 'logs', 'cities', 'flights'];
const REPEATS_MAX = 100;
const DEFAULT_FOLDER = 'bench/results/local';

/** Options that say where results go and how far a run goes, and not what is measured. */
const NOT_OF_POINTS: ReadonlySet<string> = new Set(['output', 'fresh', 'points']);

export function addExperiment(program: Command, name: string, { about, file, ...sizes }: ExperimentSuite): void {
  const command = program.command(name).description(about).showHelpAfterError();
  addDataOptions(command);
  addSweepOptions(command);
  addRunOptions(command);
  command.action(async (given: Given) => {
    const { default: experiment } = (await import(`../${file.replace(/\.ts$/u, '.js')}`)) as { default: Experiment };
    await runExperiment(name, experiment, given, sizes[given.size]);
  });
}

/** What is loaded and asked; other commands take the same. */
export function addDataOptions(command: Command): void {
  command
    .addOption(new Option('--corpus <name>', 'documents of ours').choices(CORPORA).conflicts(['documents', 'from']))
    .addOption(new Option('--documents <file>', 'your documents, one JSON object a line').conflicts('from'))
    .option('--from <address>', 'draw documents and mapping from a running index: http://host:9200/index')
    .option(
      '--mapping <file>',
      'mapping of your documents, as for a new index; without it they are mapped as they come',
    )
    .option('--queries <file>', 'your searches, one body a line; without it they are made for the mapping');
}

function addSweepOptions(command: Command): void {
  const names = listOf((text) => text);
  const counts = listOf(parseCount);
  const sizes = listOf((text) => (parseSize(text), text));
  command
    .option('--count <number>', 'documents of the largest point', parseCount)
    .option('--steps <number>', 'sizes up to that, each twice the one before', parseCount)
    .option('--sweeps <names>', 'of the sweeps of the experiment, these alone', names)
    .option('--shards <list>', 'numbers of shards', counts)
    .option('--processors <list>', 'numbers of processors of a node', counts)
    .option('--nodes <list>', 'numbers of nodes', counts)
    .option('--rate <number>', 'documents a second of a steady load; without it as fast as they go', parseCount)
    .option('--updates <share>', 'share of documents that replace earlier ones', parseShare)
    .option('--refresh <list>', 'values of index.refresh_interval', names)
    .option('--segments-per-tier <list>', 'values of index.merge.policy.segments_per_tier', counts)
    .option('--max-merged-segment <list>', 'values of index.merge.policy.max_merged_segment', sizes)
    .option('--floor-segment <list>', 'values of index.merge.policy.floor_segment', sizes)
    .option('--buffer <list>', 'values of indices.memory.index_buffer_size', names);
}

function addRunOptions(command: Command): void {
  command
    .addOption(
      new Option('--size <name>', 'how much is measured').choices(['small', 'medium', 'full']).default('medium'),
    )
    .option('--seed <number>', 'of the order of points and of queries that are made', parseCount, 1)
    .option('--repeats <number>', 'runs of each point, each on fresh nodes', parseCount)
    .option('--seconds <number>', 'of each round of searches', Number)
    .option('--points <number>', 'measure so many points and stop; the same command goes on', parseCount)
    .option('--output <folder>', 'of results and report')
    .option('--fresh', 'forget earlier results of this folder');
}

async function runExperiment(name: string, experiment: Experiment, given: Given, size: Size): Promise<void> {
  const options = sweepOptions(given, size);
  checkSweeps(experiment, options);
  const folder = folderOf(name, given);
  const dataset = await readDataset(given, options.documents, folder);
  say(`${dataset.name} (${dataset.origin}): ${dataset.lines.length} documents, ${(dataset.bytes / 1e6).toFixed(1)} MB`);
  const available = { ...options, documents: Math.min(options.documents, dataset.lines.length) };
  if (available.documents < options.documents)
    say(`there are no ${options.documents} documents: the largest point has all`);
  const data = await prepare(dataset, given.seed);
  const points = pointsOf(experiment, available, data, given, size);
  const results = new ResultsFile(path.join(folder, 'results.jsonl'), headerOf(name, dataset, data, given));
  warnOfLoad();
  const seconds = given.seconds ?? size['seconds'] ?? 1;
  const effort = {
    program: buildProgram('quarry-load'),
    seconds,
    rounds: size['rounds'] ?? 1,
    idleMs: size['idleMs'] ?? 0,
  };
  try {
    await runPoints({
      points,
      results,
      weigh: ({ spec }) => weightOf(spec, seconds, effort.rounds),
      measure: ({ spec }) => measurePoint(spec, data, effort),
      pointsMax: given.points ?? Infinity,
      say,
      now: Date.now,
    });
  } finally {
    results.close();
  }
  say(`report: ${await writeReport(folder)}`);
}

function say(line: string): void {
  console.log(line);
}

function sweepOptions(given: Given, size: Size): SweepOptions {
  const defaults = sweepDefaults(size);
  const { documents: _file, ...rest } = given;
  const isOfSweeps = ([name, value]: [string, unknown]): boolean =>
    value !== undefined && Object.hasOwn(defaults, name);
  const said = Object.fromEntries(Object.entries(rest).filter(isOfSweeps)) as Partial<SweepOptions>;
  return { ...defaults, ...said, documents: given.count ?? defaults.documents };
}

function checkSweeps({ sweeps }: Experiment, options: SweepOptions): void {
  const unknown = options.sweeps.find((name) => !Object.hasOwn(sweeps, name));
  if (unknown === undefined) return;
  throw new Error(`--sweeps: there is no [${unknown}], but ${Object.keys(sweeps).join(', ')}`);
}

function folderOf(name: string, { output, fresh, corpus, documents, from }: Given): string {
  const data = documents ?? from ?? corpus ?? 'wiki';
  const label = path.basename(data).replace(/\.[a-z]+$/u, '');
  const folder = output === undefined ? path.join(DEFAULT_FOLDER, `${name}-${label}`) : placeOf(output);
  if (fresh === true) rmSync(path.join(folder, 'results.jsonl'), { force: true });
  mkdirSync(folder, { recursive: true });
  return folder;
}

function pointsOf(
  experiment: Experiment,
  options: SweepOptions,
  { mappings }: PointData,
  given: Given,
  size: Size,
): readonly Point[] {
  const repeats = given.repeats ?? size['repeats'] ?? 1;
  if (repeats > REPEATS_MAX) throw new Error(`--repeats ${repeats}: at most ${REPEATS_MAX}`);
  const wanted = ({ sweep }: { readonly sweep: string }): boolean =>
    options.sweeps.length === 0 || options.sweeps.includes(sweep);
  const specs = experiment.points(options, mappings).filter(wanted);
  return planOfPoints(specs, repeats, seededRandom(given.seed));
}

function headerOf(experiment: string, dataset: Dataset, data: PointData, given: Given): RunHeader {
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
