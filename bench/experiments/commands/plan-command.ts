/** `npm run plan -- --documents 2e9 --sample file.ndjson --queries file --p99 50ms --retention 30d`. */
import { totalmem } from 'node:os';
import { Option, type Command } from 'commander';
import { plan as sizes } from '../../../bench.config.js';
import type { CorpusName } from '../../corpus.js';
import { checkGrowth, growthOf } from '../planner/growth.js';
import { planReport, linesOfPlan } from '../planner/plan-report.js';
import { planPoints } from '../planner/points.js';
import { policyOf } from '../planner/policy.js';
import { predict, type Wanted } from '../planner/predict.js';
import { parseCount, parseDuration, parseShare, parseSize } from '../quantities.js';
import { writePage } from '../report/write-report.js';
import { processorsOfMachine } from '../sizes.js';
import { addRunOptions, CORPORA } from './experiment-command.js';
import { measureRun, readData, type RunGiven } from './measured-run.js';

interface Given extends RunGiven {
  readonly documents: number;
  readonly sample?: string;
  readonly corpus?: CorpusName;
  readonly from?: string;
  readonly mapping?: string;
  readonly queries?: string;
  readonly count?: number;
  readonly p99: number;
  readonly retention: number;
  readonly refresh: number;
  readonly updates: number;
  readonly searchesPerSecond: number;
  readonly replicas: number;
  readonly shardSize: number;
  readonly nodeProcessors: number;
  readonly nodeMemory: number;
  readonly nodeDisk: number;
}

const REPLICAS_MAX = 10;

export function addPlan(program: Command): void {
  const command = program
    .command('plan')
    .description('shards, nodes, disk, memory and writes for so many documents, from how a sample of them grows')
    .showHelpAfterError();
  addWanted(command);
  addSample(command);
  addRunOptions(command);
  command.action(makePlan);
}

function addWanted(command: Command): void {
  command
    .requiredOption('--documents <number>', 'documents that are held at a time, such as 2e9', parseCount)
    .option('--p99 <time>', 'searches take no longer, but for one in a hundred', parseDuration, 100)
    .option(
      '--retention <time>',
      'for so long a document is kept; all come in once in that time',
      parseDuration,
      30 * 86_400_000,
    )
    .option('--searches-per-second <number>', 'searches that the cluster answers', parseCount, 1)
    .option('--replicas <number>', 'copies beside the primary', parseReplicas, 1)
    .option('--refresh <time>', 'index.refresh_interval', parseDuration, 1_000)
    .option('--updates <share>', 'share of documents that replace earlier ones', parseShare, 0)
    .option('--shard-size <size>', 'shards are no larger: moving one takes its time', parseSize, 50 * 1024 ** 3)
    .option('--node-processors <number>', 'processors of a node', parseCount, processorsOfMachine())
    .option('--node-memory <size>', 'memory of a node', parseSize, totalmem())
    .option('--node-disk <size>', 'disk of a node', parseSize, 1024 ** 4);
}

function parseReplicas(text: string): number {
  const replicas = text === '0' ? 0 : parseCount(text);
  if (replicas > REPLICAS_MAX) throw new Error(`--replicas ${text}: at most ${REPLICAS_MAX}`);
  return replicas;
}

function addSample(command: Command): void {
  command
    .addOption(new Option('--sample <file>', 'your documents, one JSON object a line').conflicts(['from', 'corpus']))
    .addOption(
      new Option('--from <address>', 'draw the sample from a running index: http://host:9200/index').conflicts(
        'corpus',
      ),
    )
    .addOption(new Option('--corpus <name>', 'documents of ours').choices(CORPORA))
    .option('--mapping <file>', 'mapping of the sample, as for a new index')
    .option('--queries <file>', 'searches, one body a line; without it they are made for the mapping')
    .option('--count <number>', 'documents of the sample to measure with', parseCount);
}

async function makePlan(given: Given): Promise<void> {
  const size = sizes[given.size];
  const { documents: wantedDocuments, sample, ...rest } = given;
  const source = { ...rest, ...(sample === undefined ? {} : { documents: sample }) };
  const { folder, dataset, data } = await readData('plan', source, given.count ?? size['documents'] ?? 1_000);
  const specs = planPoints({
    documents: dataset.lines.length,
    steps: size['steps'] ?? 4,
    processors: given.nodeProcessors > processorsOfMachine() ? processorsOfMachine() : given.nodeProcessors,
    rate: Math.ceil(dataset.lines.length / (size['streamSeconds'] ?? 1)),
    updates: given.updates,
    refreshMs: size['streamRefreshMs'] ?? 200,
    indexSettings: {},
  });
  const request = { experiment: 'plan', folder, dataset, data, specs, size };
  const run = await measureRun({ ...request, given: measuredBy(given) });
  if (!run.isWhole) {
    console.log('not all points are measured: the same command goes on');
    return;
  }
  const policy = policyOf(data.settings);
  const wanted: Wanted = {
    documents: wantedDocuments,
    p99Ms: given.p99,
    retentionMs: given.retention,
    searchesPerSecond: given.searchesPerSecond,
    replicas: given.replicas,
    updates: given.updates,
    refreshMs: given.refresh,
    shardBytesMax: given.shardSize,
    nodeProcessors: given.nodeProcessors,
    nodeMemoryBytes: given.nodeMemory,
    nodeDiskBytes: given.nodeDisk,
  };
  const growth = growthOf(run.points);
  const checks = checkGrowth(run.points, policy);
  const plan = predict(growth, wanted, policy);
  for (const line of linesOfPlan(plan, wanted, checks)) console.log(line);
  console.log(`report: ${await writePage(folder, planReport(run, { plan, wanted, checks, growth }))}`);
}

/** What points depend on: another wish is another plan of the same measurements. */
function measuredBy({ documents: _wanted, refresh: _refresh, ...rest }: Given): RunGiven {
  return rest;
}
