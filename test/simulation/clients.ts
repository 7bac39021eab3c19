/** Clients of a simulated cluster: they have commands carried out by whichever node, and remember what they were told. */
import { asQuarryError } from '../../src/base/error-wire.js';
import type { ErrorType } from '../../src/base/errors.js';
import { PUBLISH_MS_MAX } from '../../src/base/limits.js';
import type { ClusterState } from '../../src/cluster/state.js';
import type { CommandInput, CommandName } from '../../src/coordinator/commands.js';
import type { Machine, World } from './machine.js';

/** After these a command was surely not carried out, and never will be. */
const NOT_DONE: ReadonlySet<ErrorType> = new Set([
  'connect_transport_exception',
  'master_not_discovered_exception',
  'not_master_exception',
  'process_cluster_event_timeout_exception',
]);
const INDICES_MAX = 3;
const REGISTERS = 3;
/** `index.allocation.max_retries` */
const ALLOCATION_RETRIES = 5;
const EXCLUDED = 'cluster.routing.allocation.exclude._name';

interface KnownIndex {
  readonly name: string;
  readonly uuid: string;
  /** Ends the expectation that it is there. */
  readonly release: () => void;
}

/** A setting that one client counts up. */
interface Register {
  readonly name: string;
  value: number;
  isBusy: boolean;
}

export class Clients {
  private readonly world: World;
  private readonly machines: readonly Machine[];
  private readonly indices: KnownIndex[] = [];
  private created = 0;
  private writes = 0;
  /** What was last sent of each register, and whether an answer is waited for. */
  private readonly registers: (Register | undefined)[] = [];
  private registersMade = 0;

  constructor(world: World, machines: readonly Machine[]) {
    this.world = world;
    this.machines = machines;
  }

  act(): void {
    const actions = [
      () => this.createIndex(),
      () => this.createIndex(),
      () => this.deleteIndex(),
      () => this.setRegister(),
      () => this.setRegister(),
      () => this.setRegister(),
      () => this.changeReplicas(),
      () => this.excludeVoter(),
      () => this.submit('clear-voting-exclusions', null),
      () => this.shutDown(),
      () => this.moveCopies(),
      () => this.submit('reroute', { retryFailed: true }),
    ];
    void actions[this.world.random.below(actions.length)]?.();
  }

  /** Nothing that clients asked for, or must ask for, keeps the cluster from being whole. */
  get isTidy(): boolean {
    const { shutdowns, voting, clusterSettings, routing } = this.world.witness.state;
    const copies = [...routing.values()].flatMap(({ shards }) => shards.flat());
    const isGivenUp = copies.some(({ unassigned }) => (unassigned?.failedAllocations ?? 0) >= ALLOCATION_RETRIES);
    const isExcluded = voting.exclusions.length > 0 || clusterSettings.persistent.has(EXCLUDED);
    return shutdowns.size === 0 && !isExcluded && !isGivenUp;
  }

  async tidyUp(): Promise<void> {
    await Promise.all([
      this.submit('clear-voting-exclusions', null),
      this.submit('reroute', { retryFailed: true }),
      this.submit('update-cluster-settings', { persistent: { [EXCLUDED]: null }, transient: {} }),
      ...[...this.world.witness.state.shutdowns.keys()].map((nodeId) => this.submit('delete-shutdown', { nodeId })),
    ]);
  }

  private pick<Item>(items: readonly Item[]): Item | undefined {
    return items[this.world.random.below(Math.max(1, items.length))];
  }

  /** Settles when an answer comes; a node that ends gives none. */
  private async submit<Name extends CommandName>(
    name: Name,
    input: CommandInput<Name>,
    timeoutMs = 500 + this.world.random.below(8_000),
  ): Promise<'done' | 'not done' | 'unknown'> {
    const node = this.pick(this.machines.filter(({ node }) => node?.process.isRunning === true))?.node;
    if (node === undefined) return 'not done';
    const { witness } = this.world;
    try {
      await node.coordinator.submit(name, input, timeoutMs);
      witness.acknowledgedCommands++;
      return 'done';
    } catch (error) {
      const { type, message } = asQuarryError(error);
      if (type === 'resource_already_exists_exception') witness.fault(5, `${name} was carried out twice: ${message}`);
      return NOT_DONE.has(type) ? 'not done' : 'unknown';
    }
  }

  private async createIndex(): Promise<void> {
    if (this.indices.length >= INDICES_MAX) return;
    const { witness, random, time } = this.world;
    const name = `i${++this.created}`;
    const settings = {
      number_of_shards: random.below(4) === 0 ? 2 : 1,
      number_of_replicas: random.below(3),
      'unassigned.node_left.delayed_timeout': `${random.below(3_000)}ms`,
    };
    const beganMs = time.nowMs;
    const outcome = await this.submit('create-index', { name, settings });
    const index = witness.state.indices.get(name);
    if (outcome === 'not done') {
      witness.expect(({ indices }) => (indices.has(name) ? `${name}, which was refused, is there` : undefined));
    }
    if (outcome !== 'done') return;
    if (index === undefined) {
      witness.fault(4, `${name} was acknowledged and is in no state`);
      return;
    }
    if (time.nowMs - beganMs < PUBLISH_MS_MAX) this.checkApplied(name);
    const { uuid } = index;
    const release = witness.expect(({ indices }) => (indices.get(name)?.uuid === uuid ? undefined : `${name} is lost`));
    this.indices.push({ name, uuid, release });
  }

  private checkApplied(name: string): void {
    const { witness } = this.world;
    for (const [id, run] of witness.createdWith.get(name) ?? []) {
      const node = this.machines.find(({ nodeId }) => nodeId === id)?.node;
      if (node?.ephemeralId !== run || node.process.hasEnded) continue;
      if (witness.state.nodes.get(id)?.ephemeralId !== run) continue;
      if (node.applied?.indices.has(name) === true) continue;
      witness.fault(6, `${name} was acknowledged, and ${node.machine.name} has not applied it`);
    }
  }

  private async deleteIndex(): Promise<void> {
    const { random, witness } = this.world;
    if (this.indices.length === 0 || random.below(2) > 0) return;
    const [index] = this.indices.splice(random.below(this.indices.length), 1);
    if (index === undefined) return;
    const { name, uuid, release } = index;
    release();
    if ((await this.submit('delete-indices', { indices: [{ name, uuid }] })) !== 'done') return;
    witness.expect(({ indices }) => (indices.has(name) ? `${name}, which was deleted, is there` : undefined));
  }

  /** Each value is sent when the one before was answered: what is acknowledged never goes back. */
  private async setRegister(): Promise<void> {
    const { witness, random } = this.world;
    const place = random.below(REGISTERS);
    const register = this.registers[place] ?? { name: `register${++this.registersMade}`, value: 0, isBusy: false };
    this.registers[place] = register;
    if (register.isBusy) return;
    register.isBusy = true;
    const { name } = register;
    const value = ++register.value;
    const setting = `cluster.metadata.${name}`;
    const outcome = await this.submit('update-cluster-settings', { persistent: { [setting]: value }, transient: {} });
    register.isBusy = false;
    const valueIn = ({ clusterSettings }: ClusterState): number => Number(clusterSettings.persistent.get(setting) ?? 0);
    if (outcome === 'done') {
      witness.expect((state) => (valueIn(state) >= value ? undefined : `${name} is ${valueIn(state)} after ${value}`));
    } else if (outcome === 'not done') {
      witness.expect((state) => (valueIn(state) === value ? `${name} is ${value}, which was refused` : undefined));
    }
    // It may be carried out as late as it likes.
    else this.registers[place] = undefined;
  }

  /** To a primary on each node that has one. */
  write(): void {
    for (const { node } of this.machines) {
      if (node?.process.isRunning === true) node.shards.write(++this.writes).catch(() => undefined);
    }
  }

  private async changeReplicas(): Promise<void> {
    const index = this.pick(this.indices);
    if (index === undefined) return;
    const { name, uuid } = index;
    const settings = { number_of_replicas: this.world.random.below(3) };
    await this.submit('update-index-settings', { indices: [{ name, uuid }], settings });
  }

  private async excludeVoter(): Promise<void> {
    const machine = this.pick(this.machines);
    if (machine === undefined || this.world.random.below(2) > 0) return;
    await this.submit('add-voting-exclusions', { nodeIds: [], nodeNames: [machine.name] });
  }

  private async shutDown(): Promise<void> {
    const { random } = this.world;
    const machine = this.pick(this.machines);
    if (machine === undefined) return;
    const type = random.below(2) === 0 ? 'restart' : 'remove';
    if (random.below(2) === 0) await this.submit('put-shutdown', { nodeId: machine.nodeId, type, reason: 'simulated' });
    else await this.submit('delete-shutdown', { nodeId: machine.nodeId });
  }

  private async moveCopies(): Promise<void> {
    const { random } = this.world;
    const name = random.below(2) === 0 ? (this.pick(this.machines)?.name ?? null) : null;
    await this.submit('update-cluster-settings', { persistent: { [EXCLUDED]: name }, transient: {} });
  }
}
