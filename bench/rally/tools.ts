/** The two tools that race: each in an environment of Python of its own, which stays in a folder of the system for later runs. */
import { spawn, spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';

export interface RaceTool {
  readonly name: string;
  readonly version: string;
  readonly distribution: 'elasticsearch' | 'opensearch';
  /** What a race is started with, before what both take. */
  readonly command: (track: string, report: string) => readonly string[];
}

export const TOOLS: readonly RaceTool[] = [
  {
    name: 'esrally',
    version: '2.13.0',
    distribution: 'elasticsearch',
    command: (track, report) => ['race', `--track-path=${track}`, '--report-format=csv', `--report-file=${report}`],
  },
  {
    name: 'opensearch-benchmark',
    version: '2.4.0',
    distribution: 'opensearch',
    command: (track, report) => ['run', `--workload-path=${track}`, '--results-format=csv', `--results-file=${report}`],
  },
];

const HOME = path.join(tmpdir(), 'quarry-race-tools');
const INSTALL_MS_MAX = 10 * 60_000;

/** The command of the tool; undefined, with a message, where it cannot be installed. */
export function install({ name, version }: RaceTool): string | undefined {
  const environment = path.join(HOME, `${name}-${version}`);
  const command = path.join(environment, 'bin', name);
  if (existsSync(command)) return command;
  mkdirSync(HOME, { recursive: true });
  const python = path.join(environment, 'bin', 'python');
  const steps: readonly (readonly [string, ...string[]])[] = [
    ['python3', '-m', 'venv', environment],
    [python, '-m', 'pip', 'install', '--quiet', '--disable-pip-version-check', `${name}==${version}`],
  ];
  for (const [program, ...args] of steps) {
    const { status } = spawnSync(program, args, { stdio: ['ignore', 'ignore', 'inherit'], timeout: INSTALL_MS_MAX });
    if (status === 0) continue;
    rmSync(environment, { recursive: true, force: true });
    console.log(`${name} ${version} cannot be installed (${program} ${args.join(' ')}): its race is left out`);
    return undefined;
  }
  return command;
}

export interface Race {
  readonly tool: RaceTool;
  readonly command: string;
  /** Folder of the track. */
  readonly track: string;
  readonly url: string;
}

/** Figures by task and metric, as the tool reports them. Rejects when the race ends with an error. */
export async function race({
  tool,
  command,
  track,
  url,
}: Race): Promise<ReadonlyMap<string, ReadonlyMap<string, string>>> {
  const report = path.join(track, `${tool.name}-${new URL(url).port}.csv`);
  const args = [
    ...tool.command(track, report),
    ...[`--target-hosts=${new URL(url).host}`, '--pipeline=benchmark-only', '--on-error=abort', '--offline'],
  ];
  // What the tool keeps of races goes with the track.
  const env = { ...process.env, HOME: track };
  const child = spawn(command, args, { env, stdio: ['ignore', 'pipe', 'pipe'] });
  const said: Buffer[] = [];
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk: Buffer) => said.push(chunk));
  const code = await new Promise<number | null>((resolve, reject) => {
    child.once('error', reject);
    child.once('close', resolve);
  });
  if (code !== 0) throw new Error(`${tool.name} ended with ${code}:\n${Buffer.concat(said).toString()}`);
  return figuresOf(readFileSync(report, 'utf8'));
}

function figuresOf(csv: string): ReadonlyMap<string, ReadonlyMap<string, string>> {
  const tasks = new Map<string, Map<string, string>>();
  for (const line of csv.trim().split('\n').slice(1)) {
    const [metric = '', task = '', value = '', unit = ''] = line.trim().split(',');
    if (task === '') continue;
    const metrics = tasks.get(task) ?? new Map<string, string>();
    tasks.set(task, metrics.set(metric, `${Number(value).toFixed(2)} ${unit}`));
  }
  return tasks;
}
