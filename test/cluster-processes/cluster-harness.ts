/** Clusters of real processes on loopback, with ports and directories of their own, and a network that can be severed. */
import { readFileSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { assert, must } from '../../src/base/assert.js';
import { TestNode, type Json } from '../api/node-harness.js';
import { freePorts } from './free-ports.js';
import { Links, type LinkState } from './links.js';

const UNTIL_PAUSE_MS = 50;
const UNTIL_MS_MAX = 60_000;

export interface ClusterOptions {
  /** How many, or their names; `n1`, `n2`, ... by default. All of them may elect the first master. */
  readonly nodes: number | readonly string[];
  readonly settings?: Readonly<Record<string, string>>;
  /** Settings of single nodes, by name. */
  readonly settingsOf?: Readonly<Record<string, Readonly<Record<string, string>>>>;
  /** Whether `crashWorker` is to work. */
  readonly hasCrashDoor?: boolean;
  /** Nodes reach each other without the network that can be severed: TLS hides from it who sends. */
  readonly isDirect?: boolean;
  /** Loopback addresses that nodes tell others, by name; 127.0.0.1 where absent. */
  readonly hosts?: Readonly<Record<string, string>>;
}

const CRASH_DOOR = fileURLToPath(new URL('../crash/crash-door.mjs', import.meta.url));
const LOOPBACK = '127.0.0.1';

interface Ports {
  readonly http: number;
  /** Where the node listens. */
  readonly transport: number;
  /** Where its proxy listens: what the node tells others. */
  readonly published: number;
}

export class TestMember {
  readonly name: string;
  /** Holds the directories of data and logs. */
  readonly home: string;
  readonly ports: Ports;
  private readonly settings: Readonly<Record<string, string>>;
  private readonly hasCrashDoor: boolean;
  private running: TestNode | undefined;

  constructor(
    name: string,
    home: string,
    ports: Ports,
    settings: Readonly<Record<string, string>>,
    hasCrashDoor = false,
  ) {
    this.name = name;
    this.home = home;
    this.ports = ports;
    this.settings = settings;
    this.hasCrashDoor = hasCrashDoor;
  }

  /** Throws while the process does not run. */
  get node(): TestNode {
    return must(this.running, `process of node [${this.name}]`);
  }

  get isRunning(): boolean {
    return this.running !== undefined;
  }

  /** Its process has not ended, not by itself either. */
  get isAlive(): boolean {
    const process = this.running?.process;
    return process !== undefined && process.exitCode === null && process.signalCode === null;
  }

  /** The id that the node gave itself at its first start; undefined before. */
  get nodeId(): string | undefined {
    try {
      // The first line is a checksum.
      return readFileSync(join(this.home, 'data', 'node-id'), 'utf8').split('\n')[1];
    } catch {
      return undefined;
    }
  }

  /** Resolves when the node answers; with the data of its last run, if there was one. `settings` win over those before. */
  async start(settings: Readonly<Record<string, string>> = {}): Promise<void> {
    const environment = { NODE_OPTIONS: `--import=${CRASH_DOOR}`, QUARRY_CRASH_FILE: this.crashFile };
    const options = [[], this.hasCrashDoor ? environment : {}] as const;
    this.running = await TestNode.start({ ...this.settings, ...settings }, this.home, ...options);
  }

  /** SIGKILL. */
  async kill(): Promise<void> {
    await this.end('SIGKILL');
  }

  /** SIGTERM: the node drains, flushes and ends. */
  async terminate(): Promise<number | null> {
    return this.end('SIGTERM');
  }

  /** One worker of the process ends, within some milliseconds. */
  async crashWorker(): Promise<void> {
    assert(this.hasCrashDoor, 'a cluster with crash doors');
    await writeFile(this.crashFile, '');
  }

  private get crashFile(): string {
    return join(this.home, 'crash');
  }

  /** The process stands still, its connections stay. */
  pause(): void {
    this.node.process.kill('SIGSTOP');
  }

  resume(): void {
    this.node.process.kill('SIGCONT');
  }

  private async end(signal: NodeJS.Signals): Promise<number | null> {
    const { node } = this;
    const code = await node.signal(signal);
    this.running = undefined;
    return code;
  }
}

export class TestCluster {
  readonly members: TestMember[] = [];
  readonly links: Links;
  private readonly home: string;
  private readonly options: ClusterOptions;

  private constructor(home: string, options: ClusterOptions) {
    this.home = home;
    this.options = options;
    this.links = new Links((nodeId) => this.members.find((member) => member.nodeId === nodeId)?.name);
  }

  /** Starts all nodes at once; resolves when each of them answers. */
  static async start(options: ClusterOptions): Promise<TestCluster> {
    const cluster = await TestCluster.prepare(options);
    try {
      await Promise.all(cluster.members.map((member) => member.start()));
    } catch (error) {
      await cluster.stop();
      throw error;
    }
    return cluster;
  }

  /** Everything but the processes. */
  static async prepare(options: ClusterOptions): Promise<TestCluster> {
    const cluster = new TestCluster(await mkdtemp(join(tmpdir(), 'quarry-cluster-')), options);
    const { nodes } = options;
    const names = typeof nodes === 'number' ? Array.from({ length: nodes }, (_, at) => `n${at + 1}`) : nodes;
    const ports = await cluster.portsFor(names.length);
    const seeds = ports.map(({ published }, at) => `${cluster.hostOf(names[at])}:${published}`).join(',');
    for (const [at, name] of names.entries()) {
      await cluster.addMember(name, must(ports[at], 'ports'), seeds, {
        'cluster.initial_master_nodes': names.join(','),
      });
    }
    return cluster;
  }

  /** One more node, which joins the others. */
  async add(name: string, settings: Readonly<Record<string, string>> = {}): Promise<TestMember> {
    const [ports] = await this.portsFor(1);
    const seeds = this.members
      .map(({ name: seed, ports: { published } }) => `${this.hostOf(seed)}:${published}`)
      .join(',');
    const member = await this.addMember(name, must(ports, 'ports'), seeds, settings);
    await member.start();
    return member;
  }

  member(name: string): TestMember {
    return must(
      this.members.find((member) => member.name === name),
      `member [${name}]`,
    );
  }

  get running(): readonly TestMember[] {
    return this.members.filter((member) => member.isRunning);
  }

  /** Those whose processes have not ended by themselves either. */
  get alive(): readonly TestMember[] {
    return this.members.filter((member) => member.isAlive);
  }

  /** Asks a node, any that runs unless it is named. */
  node(name?: string): TestNode {
    return (name === undefined ? must(this.alive[0], 'a running node') : this.member(name)).node;
  }

  /** Changes the links between the node and all others. */
  isolate(name: string, state: LinkState = 'cut'): void {
    for (const other of this.members) if (other.name !== name) this.links.set(name, other.name, state);
  }

  /** Name of the master as the node sees it; undefined while it sees none. */
  async masterName(asked?: string): Promise<string | undefined> {
    const answer = await this.node(asked).get('/_cat/master?format=json&local=true');
    return answer.status === 200 ? ((answer.json() as { node: string }[])[0]?.node ?? undefined) : undefined;
  }

  /** Waits until a node says so; `query` is that of `_cluster/health`. */
  async waitForHealth(query = 'wait_for_status=green', asked?: string): Promise<Json> {
    const path = `/_cluster/health?${query}&timeout=${UNTIL_MS_MAX / 1_000}s`;
    return this.until(`health with ${query}`, async () => {
      const answer = await this.node(asked).get(path);
      if (answer.status !== 200) throw new Error(`${answer.status} ${answer.text}`);
      return answer.json();
    });
  }

  /** Tries until `attempt` gives a value; errors count as none. */
  async until<T>(what: string, attempt: () => Promise<T | undefined>): Promise<T> {
    const deadline = performance.now() + UNTIL_MS_MAX;
    let last: unknown = 'nothing';
    while (performance.now() < deadline) {
      try {
        const value = await attempt();
        if (value !== undefined) return value;
      } catch (error) {
        last = error;
      }
      await new Promise((resolve) => setTimeout(resolve, UNTIL_PAUSE_MS));
    }
    throw new Error(`${what} did not come within ${UNTIL_MS_MAX / 1_000} seconds; last: ${String(last)}`);
  }

  /** Kills what runs and removes all directories, unless they are to be looked at. */
  async stop({ keep = false } = {}): Promise<void> {
    await Promise.all(this.alive.map((member) => member.kill()));
    this.links.stop();
    if (keep) console.log(`directories and logs of the nodes are kept in ${this.home}`);
    else await rm(this.home, { recursive: true, force: true });
  }

  private async addMember(
    name: string,
    ports: Ports,
    seeds: string,
    more: Readonly<Record<string, string>>,
  ): Promise<TestMember> {
    const settings = {
      'cluster.name': 'test',
      'node.name': name,
      'http.port': String(ports.http),
      'transport.port': String(ports.transport),
      'transport.publish_port': String(ports.published),
      'transport.publish_host': this.hostOf(name),
      'discovery.seed_hosts': seeds,
      ...more,
      ...this.options.settings,
      ...this.options.settingsOf?.[name],
    };
    const member = new TestMember(name, join(this.home, name), ports, settings, this.options.hasCrashDoor);
    this.members.push(member);
    if (this.options.isDirect !== true)
      await this.links.open(name, { host: this.hostOf(name), port: ports.published }, ports.transport);
    return member;
  }

  private async portsFor(count: number): Promise<readonly Ports[]> {
    const ports = await freePorts(3 * count);
    return Array.from({ length: count }, (_, at) => {
      const [http, transport, proxy] = ports.slice(3 * at, 3 * at + 3);
      const published = this.options.isDirect === true ? transport : proxy;
      return { http: must(http, 'port'), transport: must(transport, 'port'), published: must(published, 'port') };
    });
  }

  private hostOf(name = ''): string {
    return this.options.hosts?.[name] ?? LOOPBACK;
  }
}
