/** Carries out the faults of a round on a cluster, and puts everything right again. */
import { must } from '../../../src/base/assert.js';
import type { TestCluster, TestMember } from '../cluster-harness.js';
import { nodeDisk, type NodeDisk } from './full-disk.js';
import type { Fault, FaultKind, Victim } from './schedule.js';

const EXCLUDE = 'cluster.routing.allocation.exclude._name';
const ASKED_MS_MAX = 2_000;

interface Wrong {
  readonly fault: Fault;
  /** Of the nodes that it strikes. */
  readonly names: readonly string[];
  restore(): Promise<void> | void;
}

export class Saboteur {
  /** How often each kind was carried out. */
  readonly counts = new Map<FaultKind, number>();
  /** What was done, in order. */
  readonly diary: string[] = [];
  private readonly cluster: TestCluster;
  private readonly disks = new Map<string, NodeDisk>();
  private readonly wrong = new Set<Wrong>();
  private readonly steps = new Set<Promise<void>>();
  private readonly guests: TestMember[] = [];
  private isOver = true;
  private joined = 0;

  /** Before the nodes are started for the first time. */
  constructor(cluster: TestCluster) {
    this.cluster = cluster;
    for (const member of cluster.members) this.disks.set(member.name, nodeDisk(member));
  }

  /** Returns when all faults have begun; each ends in its own time. */
  async carryOut(faults: readonly Fault[], lengthMs: number): Promise<void> {
    this.isOver = false;
    const startMs = performance.now();
    for (const fault of faults) {
      await sleep(Math.max(0, fault.atMs - (performance.now() - startMs)));
      await this.begin(fault);
    }
    await sleep(Math.max(0, lengthMs - (performance.now() - startMs)));
  }

  /** Ends what still goes on; resolves when all nodes run, reach each other and have room. */
  async heal(): Promise<void> {
    this.isOver = true;
    await Promise.all([...this.wrong].map((each) => this.end(each)));
    await Promise.all(this.steps);
    this.cluster.links.healAll();
    // A node that cannot write what it promised ends by itself.
    const ended = this.cluster.running.filter((member) => !member.isAlive);
    for (const { name } of ended) this.note(`${name} had ended`);
    await Promise.all(ended.map((member) => member.start()));
    if (this.disks.size > 0) await this.cluster.node().post('/_cluster/reroute?retry_failed=true');
  }

  /** To be called when the cluster is whole: nodes that joined are emptied and leave. */
  async dismissGuests(): Promise<void> {
    for (const guest of this.guests.splice(0)) {
      await this.exclude(guest.name);
      await this.cluster.until(`[${guest.name}] to be empty`, async () => {
        const rows = (await this.cluster.node('n1').get('/_cat/shards?format=json&h=node')).json() as {
          node: string;
        }[];
        // The node of a copy that moves is written with its target.
        return rows.every(({ node }) => !(node ?? '').split(' ').includes(guest.name)) ? true : undefined;
      });
      await guest.terminate();
      await this.exclude(null);
      this.note(`${guest.name} left`);
    }
  }

  removeDisks(): void {
    for (const disk of this.disks.values()) disk.remove();
  }

  private async begin(fault: Fault): Promise<void> {
    const names = await this.choose(fault);
    if (names === undefined) return;
    const restore = await this.strike(fault, names);
    const wrong: Wrong = { fault, names, restore };
    this.counts.set(fault.kind, (this.counts.get(fault.kind) ?? 0) + 1);
    this.note(`${fault.kind} ${names.join(' ')} (${fault.victim}) for ${fault.forMs} ms`);
    this.wrong.add(wrong);
    const timer = setTimeout(() => {
      if (!this.isOver) void this.end(wrong);
    }, fault.forMs);
    timer.unref();
  }

  private end(wrong: Wrong): Promise<void> {
    if (!this.wrong.delete(wrong)) return Promise.resolve();
    this.note(`end of ${wrong.fault.kind} ${wrong.names.join(' ')}`);
    const step = Promise.resolve(wrong.restore()).finally(() => this.steps.delete(step));
    this.steps.add(step);
    return step;
  }

  /** Undefined where nobody is left to be struck. */
  private async choose({ kind, victim, draw }: Fault): Promise<readonly string[] | undefined> {
    if (kind === 'join') return this.guests.length > 0 ? undefined : [`guest${++this.joined}`];
    const free = this.free().map(({ name }) => name);
    const wanted = await this.find(victim).catch(() => undefined);
    const first = wanted !== undefined && free.includes(wanted) ? wanted : free[draw % Math.max(1, free.length)];
    if (first === undefined) return undefined;
    if (kind !== 'sever' && kind !== 'stall') return [first];
    const others = free.filter((name) => name !== first);
    const second = others[draw % Math.max(1, others.length)];
    return second === undefined ? undefined : [first, second];
  }

  private async find(victim: Victim): Promise<string | undefined> {
    if (victim === 'any') return undefined;
    const path = victim === 'master' ? '/_cat/master?h=node' : '/_cat/shards?h=node,prirep&s=prirep,index,shard';
    const answer = await fetch(`${must(this.free()[0], 'a node').node.url}${path}`, { signal: soon() });
    return (await answer.text()).trim().split(/\s+/)[0];
  }

  /** Nodes of the beginning that nothing is wrong with. */
  private free(): readonly TestMember[] {
    const struck = new Set([...this.wrong].flatMap(({ names }) => names));
    return this.cluster.alive.filter(({ name }) => this.disks.has(name) && !struck.has(name));
  }

  private async strike(fault: Fault, names: readonly string[]): Promise<Wrong['restore']> {
    const { cluster } = this;
    const [name = '', other = ''] = names;
    const disk = this.disks.get(name);
    switch (fault.kind) {
      case 'kill':
        await cluster.member(name).kill();
        return () => cluster.member(name).start();
      case 'crash':
        await cluster.member(name).crashWorker();
        return () => undefined;
      case 'pause':
        cluster.member(name).pause();
        return () => cluster.member(name).resume();
      case 'isolate':
      case 'mute':
        cluster.isolate(name, fault.kind === 'isolate' ? 'cut' : 'hang');
        return () => cluster.isolate(name, 'open');
      case 'sever':
      case 'stall':
        cluster.links.set(name, other, fault.kind === 'sever' ? 'cut' : 'hang');
        return () => cluster.links.set(name, other, 'open');
      case 'fill':
        disk?.fill();
        return () => disk?.free();
      case 'drain':
        await this.putExclusion(name).catch(() => undefined);
        return () => this.exclude(null);
      case 'join':
        this.steps.add(this.invite(name));
        return () => Promise.resolve();
    }
  }

  private async invite(name: string): Promise<void> {
    this.guests.push(await this.cluster.add(name, { 'node.roles': 'data' }));
  }

  /** Tried until it is done: the cluster may have no master now. */
  private async exclude(name: string | null): Promise<void> {
    await this.cluster.until('the exclusion to be taken', async () =>
      (await this.putExclusion(name)) ? true : undefined,
    );
  }

  private async putExclusion(name: string | null): Promise<boolean> {
    const answer = await fetch(`${must(this.free()[0], 'a node').node.url}/_cluster/settings?master_timeout=1s`, {
      method: 'PUT',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ persistent: { [EXCLUDE]: name } }),
      signal: soon(),
    });
    return answer.ok;
  }

  private note(what: string): void {
    this.diary.push(`${new Date().toISOString()} ${what}`);
  }
}

/** A node may be struck by something that nobody here knows of yet. */
function soon(): AbortSignal {
  return AbortSignal.timeout(ASKED_MS_MAX);
}

function sleep(delayMs: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, delayMs));
}
