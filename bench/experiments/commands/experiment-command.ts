/** `npm run experiment -- capacity [options]` and its like. */
import { Option, type Command } from 'commander';
import type { ExperimentSuite } from '../../../bench.config.js';
import type { CorpusName } from '../../corpus.js';
import type { DataOptions } from '../data/dataset.js';
import type { Experiment, SweepOptions } from '../experiment.js';
import type { PointSpec } from '../point.js';
import { listOf, parseCount, parseShare, parseSize } from '../quantities.js';
import { writeReport } from '../report/write-report.js';
import { sweepDefaults, type Size } from '../sizes.js';
import { measureRun, readData, type RunGiven } from './measured-run.js';

/** As commander gives it: what was not said is absent. */
interface Given extends RunGiven, DataOptions, Partial<Omit<SweepOptions, 'documents'>> {
  readonly count?: number;
}

export const CORPORA: readonly CorpusName[] = ['wiki', 'logs', 'cities', 'flights'];

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

/** What is loaded and asked. */
function addDataOptions(command: Command): void {
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

/** How much is measured, and where it is kept. */
export function addRunOptions(command: Command): void {
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
  const { folder, dataset, data } = await readData(name, given, options.documents);
  const documents = Math.min(options.documents, dataset.lines.length);
  const wanted = ({ sweep }: PointSpec): boolean => options.sweeps.length === 0 || options.sweeps.includes(sweep);
  const specs = experiment.points({ ...options, documents }, data.mappings).filter(wanted);
  const { points } = await measureRun({ experiment: name, folder, dataset, data, specs, given, size });
  for (const finding of experiment.findings?.(points) ?? []) console.log(finding);
  console.log(`report: ${await writeReport(folder)}`);
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
