/** Real nodes for tests: the built program as a process of its own, on a free port, with directories of its own. */
import { spawn, type ChildProcess } from 'node:child_process';
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const MAIN = fileURLToPath(new URL('../../dist/program/main.js', import.meta.url));
const START_MS_MAX = 60_000;
const UNTIL_PAUSE_MS = 20;
const UNTIL_ROUNDS_MAX = 1_500;

export interface Answer {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  /** The body as JSON; throws when it is not. */
  json(): Json;
}

/** Loose on purpose: tests look into answers of many shapes. */
// eslint-disable-next-line @typescript-eslint/no-explicit-any
export type Json = any;

/** By key; undefined leaves out what all nodes of tests are told otherwise. */
type NodeArguments = Readonly<Record<string, string | undefined>>;

export class TestNode {
  readonly url: string;
  readonly directory: string;
  readonly process: ChildProcess;
  private readonly output: () => string;
  private readonly exited: Promise<number | null>;

  private constructor(url: string, directory: string, child: ChildProcess, output: () => string) {
    this.url = url;
    this.directory = directory;
    this.process = child;
    this.output = output;
    this.exited = exitOf(child);
  }

  /** Starts a node; `directory` of an earlier one makes it a restart. `user`: whom the process runs as, where root says so. */
  static async start(
    settings: NodeArguments = {},
    directory?: string,
    more: readonly string[] = [],
    environment: Readonly<Record<string, string>> = {},
    user?: number,
  ): Promise<TestNode> {
    const home = directory ?? (await mkdtemp(join(tmpdir(), 'quarry-test-')));
    const { child, output } = spawnNode(settings, home, more, environment, user);
    const url = await readyAddress(child, output);
    return new TestNode(url, home, child, output);
  }

  /** Tries until `attempt` gives a value; for what happens in its own time. */
  async until<T>(attempt: () => Promise<T | undefined>): Promise<T> {
    for (let round = 0; round < UNTIL_ROUNDS_MAX; round++) {
      const value = await attempt();
      if (value !== undefined) return value;
      await new Promise((resolve) => setTimeout(resolve, UNTIL_PAUSE_MS));
    }
    throw new Error(`it did not happen in ${(UNTIL_ROUNDS_MAX * UNTIL_PAUSE_MS) / 1_000} seconds`);
  }

  /** The lines of the log so far. */
  async logged(): Promise<readonly { readonly msg: string }[]> {
    const logs = join(this.directory, 'logs');
    const [file] = await readdir(logs);
    const text = file === undefined ? '' : await readFile(join(logs, file), 'utf8');
    // The last line may not be whole yet.
    return text
      .split('\n')
      .slice(0, -1)
      .map((line) => JSON.parse(line) as { msg: string });
  }

  /** Everything that the process printed. */
  get printed(): string {
    return this.output();
  }

  async request(method: string, path: string, body?: unknown, headers: Record<string, string> = {}): Promise<Answer> {
    const init: RequestInit = { method, headers };
    if (body !== undefined) {
      init.body =
        typeof body === 'string' ? body : body instanceof Uint8Array ? Buffer.from(body) : JSON.stringify(body);
      if (headers['content-type'] === undefined) init.headers = { ...headers, 'content-type': 'application/json' };
    }
    const response = await fetch(`${this.url}${path}`, init);
    const text = await response.text();
    return { status: response.status, headers: response.headers, text, json: () => JSON.parse(text) };
  }

  get(path: string, headers?: Record<string, string>): Promise<Answer> {
    return this.request('GET', path, undefined, headers);
  }

  post(path: string, body?: unknown, headers?: Record<string, string>): Promise<Answer> {
    return this.request('POST', path, body, headers);
  }

  put(path: string, body?: unknown, headers?: Record<string, string>): Promise<Answer> {
    return this.request('PUT', path, body, headers);
  }

  delete(path: string): Promise<Answer> {
    return this.request('DELETE', path);
  }

  /** Sends lines as one bulk request. */
  bulk(path: string, lines: readonly unknown[]): Promise<Answer> {
    const body = lines.map((line) => (typeof line === 'string' ? line : JSON.stringify(line))).join('\n') + '\n';
    return this.post(path, body, { 'content-type': 'application/x-ndjson' });
  }

  /** Ends the process and gives its exit code. */
  async signal(signal: NodeJS.Signals): Promise<number | null> {
    this.process.kill(signal);
    return this.exited;
  }

  /** Stops the node and removes its directories. */
  async stop(): Promise<void> {
    if (this.process.exitCode === null && this.process.signalCode === null) await this.signal('SIGTERM');
    await rm(this.directory, { recursive: true, force: true });
  }
}

/**
 * Runs the command line and gives what it printed, for commands that end. Without `input` nothing can be read from its
 * standard input. An input that `isLeftOpen` does not end after it. `during` may do something to the process.
 */
export async function runCommand(
  args: readonly string[],
  input?: string,
  isLeftOpen = false,
  during: (child: ChildProcess) => void = () => undefined,
  cwd?: string,
): Promise<{ code: number | null; output: string }> {
  const child = spawn(process.execPath, [MAIN, ...args], {
    stdio: [input === undefined ? 'ignore' : 'pipe', 'pipe', 'pipe'],
    cwd,
  });
  child.stdin?.on('error', () => undefined).write(input ?? '');
  if (!isLeftOpen) child.stdin?.end();
  const output = collectOutput(child);
  during(child);
  const code = await exitOf(child);
  return { code, output: output() };
}

export function nodeArguments(settings: NodeArguments, home: string): string[] {
  const all = {
    'http.port': '0',
    'path.config': join(home, 'config'),
    'path.data': join(home, 'data'),
    'path.logs': join(home, 'logs'),
    'node.processors': '2',
    // Tests clear what they made by patterns.
    'action.destructive_requires_name': 'false',
    // Only tests about disks depend on how full that of the machine is.
    'cluster.routing.allocation.disk.threshold_enabled': 'false',
    ...settings,
  };
  return Object.entries(all).flatMap(([key, value]) => (value === undefined ? [] : ['-E', `${key}=${value}`]));
}

function spawnNode(
  settings: NodeArguments,
  home: string,
  more: readonly string[],
  environment: Readonly<Record<string, string>>,
  user: number | undefined,
): { child: ChildProcess; output: () => string } {
  const child = spawn(process.execPath, [MAIN, 'start', ...nodeArguments(settings, home), ...more], {
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { ...process.env, ...environment },
    ...(user === undefined ? {} : { uid: user, gid: user }),
  });
  return { child, output: collectOutput(child) };
}

function collectOutput(child: ChildProcess): () => string {
  let text = '';
  for (const stream of [child.stdout, child.stderr]) stream?.on('data', (chunk: Buffer) => (text += chunk.toString()));
  return () => text;
}

function exitOf(child: ChildProcess): Promise<number | null> {
  if (child.exitCode !== null) return Promise.resolve(child.exitCode);
  return new Promise((resolve) => child.once('close', resolve));
}

function readyAddress(child: ChildProcess, output: () => string): Promise<string> {
  return new Promise((resolve, reject) => {
    const fail = (why: string): void => {
      child.kill('SIGKILL');
      reject(new Error(`the node did not start: ${why}\n${output()}`));
    };
    const timer = setTimeout(() => {
      fail('it took too long');
    }, START_MS_MAX);
    const look = (): void => {
      const found = /is ready at (https?:\/\/\S+)/.exec(output());
      if (found?.[1] === undefined) return;
      clearTimeout(timer);
      resolve(found[1]);
    };
    child.stdout?.on('data', look);
    child.once('close', (code) => {
      clearTimeout(timer);
      fail(`it ended with code ${code}`);
    });
  });
}
