/** A cluster of real nodes on loopback: each a process with directories and ports that it keeps when it is started again. */
import { spawn, type ChildProcess } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { freePort, untilReady } from '../servers.js';

export type Answer = Readonly<Record<string, unknown>>;

export class BenchNode {
  readonly name: string;
  readonly url: string;
  private readonly settings: readonly string[];
  private child: ChildProcess | undefined;

  constructor(name: string, httpPort: number, settings: readonly string[]) {
    this.name = name;
    this.url = `http://127.0.0.1:${httpPort}`;
    this.settings = settings;
  }

  get isRunning(): boolean {
    return this.child !== undefined;
  }

  /** Of its process; 0 while none runs. */
  get pid(): number {
    return this.child?.pid ?? 0;
  }

  async start(): Promise<void> {
    const settings = this.settings.flatMap((setting) => ['-E', setting]);
    this.child = spawn(process.execPath, ['dist/program/main.js', ...settings], {
      stdio: ['ignore', 'ignore', 'inherit'],
    });
    await untilReady(this.url);
  }

  async end(signal: 'SIGKILL' | 'SIGTERM'): Promise<void> {
    const { child } = this;
    if (child === undefined) return;
    this.child = undefined;
    const ended = new Promise((resolve) => child.once('exit', resolve));
    child.kill(signal);
    await ended;
  }
}

export class BenchCluster {
  readonly nodes: readonly BenchNode[];
  private readonly scratch: string;
  /** Nodes and their data end with a bench that ends before it has stopped them, which can wait for nothing then. */
  private readonly abandon = (): void => {
    for (const { pid } of this.nodes) if (pid > 0) process.kill(pid, 'SIGKILL');
    rmSync(this.scratch, { recursive: true, force: true, maxRetries: 5 });
  };

  private constructor(nodes: readonly BenchNode[], scratch: string) {
    this.nodes = nodes;
    this.scratch = scratch;
    process.once('exit', this.abandon);
  }

  /** `settings` are those of every node, and win over what nodes of benches are told otherwise. */
  static async start(count: number, settings: Readonly<Record<string, string>> = {}): Promise<BenchCluster> {
    const scratch = mkdtempSync(path.join(tmpdir(), 'quarry-bench-cluster-'));
    const names = Array.from({ length: count }, (_, at) => `n${at + 1}`);
    const transportPorts = await Promise.all(names.map(() => freePort()));
    const httpPorts = await Promise.all(names.map(() => freePort()));
    const seeds = transportPorts.map((port) => `127.0.0.1:${port}`).join(',');
    const nodes = names.map((name, at) => {
      const home = path.join(scratch, name);
      return new BenchNode(name, httpPorts[at] ?? 0, [
        'cluster.name=bench',
        `node.name=${name}`,
        `http.port=${httpPorts[at]}`,
        `transport.port=${transportPorts[at]}`,
        `discovery.seed_hosts=${seeds}`,
        `cluster.initial_master_nodes=${names.join(',')}`,
        `path.data=${home}/data`,
        `path.logs=${home}/logs`,
        ...Object.entries({ 'node.processors': '2', ...settings }).map(([key, value]) => `${key}=${value}`),
      ]);
    });
    const cluster = new BenchCluster(nodes, scratch);
    try {
      await Promise.all(nodes.map((node) => node.start()));
      await cluster.ask('GET', `/_cluster/health?wait_for_nodes=${count}&timeout=60s`);
    } catch (error) {
      await cluster.stop();
      throw error;
    }
    return cluster;
  }

  /** Where a node keeps its data. */
  dataFolder(name: string): string {
    return path.join(this.scratch, name, 'data');
  }

  node(name: string): BenchNode {
    const node = this.nodes.find((each) => each.name === name);
    if (node === undefined) throw new Error(`no node [${name}]`);
    return node;
  }

  /** A node that runs, by turns. */
  some(turn = 0): BenchNode {
    const running = this.nodes.filter(({ isRunning }) => isRunning);
    const node = running[turn % running.length];
    if (node === undefined) throw new Error('no node runs');
    return node;
  }

  /** Throws where the answer is an error. */
  async ask(method: string, target: string, body?: string | object, node = this.some()): Promise<Answer> {
    const response = await fetch(`${node.url}${target}`, {
      method,
      headers: { 'content-type': typeof body === 'string' ? 'application/x-ndjson' : 'application/json' },
      ...(body === undefined ? {} : { body: typeof body === 'string' ? body : JSON.stringify(body) }),
    });
    const text = await response.text();
    if (!response.ok) throw new Error(`${method} ${target}: ${response.status} ${text.slice(0, 500)}`);
    return JSON.parse(text) as Answer;
  }

  /** Rows of a `_cat` endpoint. */
  async rows(target: string): Promise<readonly Readonly<Record<string, string>>[]> {
    return (await this.ask('GET', target)) as unknown as readonly Readonly<Record<string, string>>[];
  }

  async master(): Promise<string> {
    return (await this.rows('/_cat/master?format=json'))[0]?.['node'] ?? '';
  }

  /** Every copy is started and stays where it is. */
  async settle(): Promise<void> {
    const waits = 'wait_for_status=green&wait_for_no_initializing_shards=true&wait_for_no_relocating_shards=true';
    const running = this.nodes.filter(({ isRunning }) => isRunning).length;
    const health = await this.ask('GET', `/_cluster/health?${waits}&wait_for_nodes=${running}&timeout=120s`);
    if (health['timed_out'] !== false) throw new Error(`the cluster did not settle: ${JSON.stringify(health)}`);
  }

  async stop(): Promise<void> {
    process.off('exit', this.abandon);
    await Promise.all(this.nodes.map((node) => node.end('SIGKILL')));
    rmSync(this.scratch, { recursive: true, force: true });
  }
}
