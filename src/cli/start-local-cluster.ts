/** `quarry start --nodes N`: a cluster on this machine, each node a process of its own, until it is told to stop. */
import { spawn, type ChildProcess } from 'node:child_process';
import { createServer } from 'node:net';
import { availableParallelism } from 'node:os';
import { createInterface } from 'node:readline';
import type { Readable } from 'node:stream';
import { fileURLToPath } from 'node:url';
import { QuarryError } from '../base/errors.js';
import type { PortRange } from '../base/node-setting-kinds.js';
import { localNodes, type LocalNode, type LocalPorts } from './local-cluster.js';
import { nodeSettingsOf, readRawSettings, type SettingsSources } from './settings.js';

const MAIN = fileURLToPath(new URL('./main.js', import.meta.url));

/** Resolves when all nodes have been started; the process ends when all have ended. */
export async function startLocalCluster(count: number, sources: SettingsSources): Promise<void> {
  const raw = await readRawSettings(sources);
  const { values } = await nodeSettingsOf(raw);
  const http = await freePorts(values['http.host'], values['http.port'], count);
  const transport = await freePorts(values['transport.host'], values['transport.port'], count);
  const ports = http.map((port, at): LocalPorts => ({ http: port, transport: transport[at] ?? 0 }));
  const base = {
    given: new Set(raw.keys()),
    dataPath: values['path.data'],
    logsPath: values['path.logs'],
    transportHost: values['transport.host'],
    processors: availableParallelism(),
  };
  const children = localNodes(base, ports).map((node) => startNode(node, sources));
  let isStopping = false;
  const stopAll = (): void => {
    isStopping = true;
    for (const child of children) child.kill('SIGTERM');
  };
  process.on('SIGTERM', stopAll);
  process.on('SIGINT', stopAll);
  void Promise.all(children.map(ended)).then((codes) => {
    process.exit(isStopping && codes.every((code) => code === 0 || code === null) ? 0 : 1);
  });
}

function startNode({ name, settings }: LocalNode, { config, overrides }: SettingsSources): ChildProcess {
  const pairs = [...overrides, ...Object.entries(settings).map(([key, value]) => `${key}=${value}`)];
  const args = [MAIN, 'start', ...(config === undefined ? [] : ['--config', config])];
  // The channel tells the nodes when this process is gone, however it went.
  const child = spawn(process.execPath, [...args, ...pairs.flatMap((pair) => ['-E', pair])], {
    stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
  });
  print(name, `process ${child.pid ?? 0}, transport port ${settings['transport.port']}, data ${settings['path.data']}`);
  for (const stream of [child.stdout, child.stderr]) if (stream !== null) printLines(name, stream);
  child.once('exit', (code, signal) => {
    print(name, `ended with ${signal ?? `code ${code}`}`);
  });
  return child;
}

function printLines(name: string, stream: Readable): void {
  createInterface({ input: stream }).on('line', (line) => {
    print(name, line);
  });
}

function print(name: string, line: string): void {
  process.stdout.write(`[${name}] ${line}\n`);
}

function ended(child: ChildProcess): Promise<number | null> {
  return new Promise((resolve) => child.once('close', resolve));
}

/** So many of the range that nobody listens on now; of port 0 any that the system gives. */
async function freePorts(host: string, { first, last }: PortRange, count: number): Promise<readonly number[]> {
  const wanted = first === 0 ? Array.from({ length: count }, () => 0) : undefined;
  const free: number[] = [];
  const closing: (() => void)[] = [];
  for (let at = 0; free.length < count; at++) {
    const port = wanted === undefined ? first + at : wanted[at];
    if (port === undefined || port > last) break;
    const held = await hold(host, port);
    if (held === undefined) continue;
    free.push(held.port);
    closing.push(held.release);
  }
  for (const release of closing) release();
  if (free.length === count) return free;
  throw new QuarryError('settings_exception', `[${first}-${last}] has not [${count}] free ports on [${host}]`);
}

/** Held until all are found, so that the system does not give the same twice. */
function hold(host: string, port: number): Promise<{ port: number; release: () => void } | undefined> {
  const server = createServer();
  return new Promise((resolve) => {
    server.once('error', () => {
      resolve(undefined);
    });
    server.listen({ host, port, exclusive: true }, () => {
      const bound = (server.address() as { port: number }).port;
      resolve({ port: bound, release: () => server.close() });
    });
  });
}
