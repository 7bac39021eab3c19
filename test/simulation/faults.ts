/** What goes wrong in a history: processes, machines, disks, links and clocks. */
import type { Random } from '../../src/base/random.js';
import type { Machine, World } from './machine.js';

/** How much of it: each history has its own mixture. */
export interface FaultOptions {
  readonly hasCrashes: boolean;
  readonly hasPowerCuts: boolean;
  readonly hasStops: boolean;
  readonly hasCuts: boolean;
  readonly hasBadDisks: boolean;
  readonly hasLostDirectories: boolean;
  readonly hasClockJumps: boolean;
}

const STOP_MS_MAX = 3_000;
const LONG_STOP_MS = 12_000;
const SUCCESSION_MS = 2_000;
const CLOCK_JUMP_MS_MAX = 200_000;
const SLOW_WRITE_MS = 600;
const OPERATIONS_BEFORE_FAULT = 12;

export class Faults {
  private readonly world: World;
  private readonly machines: readonly Machine[];
  private readonly options: FaultOptions;
  private readonly random: Random;

  constructor(world: World, machines: readonly Machine[], options: FaultOptions) {
    this.world = world;
    this.machines = machines;
    this.options = options;
    this.random = world.random;
  }

  act(): void {
    const { options } = this;
    const when = (isWanted: boolean, ...actions: (() => string | undefined)[]): (() => string | undefined)[] =>
      isWanted ? actions : [];
    const actions = [
      () => this.start(),
      () => this.start(),
      () => this.start(),
      () => this.changeLinks(),
      ...when(
        options.hasCrashes,
        () => this.kill(),
        () => this.killMaster(),
        () => this.leave(),
      ),
      ...when(
        options.hasPowerCuts,
        () => this.losePower(),
        () => this.losePowerEverywhere(),
        () => this.bounce(),
        () => this.bounceOthers(),
      ),
      ...when(options.hasStops, () => this.stop()),
      ...when(
        options.hasCuts,
        () => this.divide(),
        () => this.isolateMaster(),
        () => this.cutOneWay(),
        () => this.healLinks(),
        () => this.healLinks(),
      ),
      ...when(
        options.hasBadDisks,
        () => this.fillDisk(),
        () => this.breakDisk(),
        () => this.slowDisk(),
        () => this.repairDisks(),
        () => this.repairDisks(),
      ),
      ...when(options.hasLostDirectories, () => this.loseDirectory()),
      ...when(options.hasClockJumps, () => this.jump()),
    ];
    const line = actions[this.random.below(actions.length)]?.();
    if (line !== undefined) this.world.log(line);
  }

  /** From now on nothing goes wrong any more. */
  end(): void {
    const { network } = this.world;
    network.heal();
    Object.assign(network.faults, { delayMsMax: 2, lostPercent: 0, repeatedPercent: 0 });
    this.repairDisks();
    for (const machine of this.machines) {
      machine.node?.process.goOn();
      machine.start();
    }
  }

  private pick(machines: readonly Machine[]): Machine | undefined {
    return machines[this.random.below(Math.max(1, machines.length))];
  }

  private get up(): readonly Machine[] {
    return this.machines.filter(({ isUp }) => isUp);
  }

  private get master(): Machine | undefined {
    return this.up.find(({ node }) => node?.coordinator.isMaster === true);
  }

  private start(): string | undefined {
    const machine = this.pick(this.machines.filter(({ isUp }) => !isUp));
    machine?.start();
    return machine && `start ${machine.name}`;
  }

  private kill(machine = this.pick(this.up)): string | undefined {
    machine?.kill();
    return machine && `kill ${machine.name}`;
  }

  private killMaster(): string | undefined {
    return this.kill(this.master);
  }

  private leave(): string | undefined {
    const machine = this.pick(this.up);
    machine?.node?.leave();
    return machine && `${machine.name} leaves`;
  }

  private losePower(): string | undefined {
    const machine = this.pick(this.up);
    machine?.losePower();
    return machine && `${machine.name} loses power`;
  }

  private losePowerEverywhere(): string | undefined {
    if (this.random.below(3) > 0) return undefined;
    for (const machine of this.up) machine.losePower();
    return 'power cut';
  }

  /** It is back before others miss it. */
  private bounce(machine = this.pick(this.up)): string | undefined {
    machine?.losePower();
    machine?.start();
    return machine && `${machine.name} loses power for a moment`;
  }

  /** What they told the master and did not write down is lost, and nobody else has it. */
  private bounceOthers(): string | undefined {
    const { master } = this;
    const alone = this.isolateMaster();
    if (alone === undefined) return undefined;
    for (const machine of this.up) if (machine !== master) this.bounce(machine);
    return `${alone}, and all others lose power for a moment`;
  }

  /** Long enough for another one to be elected, and to take over what this one was at. */
  stopMaster(): void {
    const line = this.stop(this.master, SUCCESSION_MS + this.random.below(STOP_MS_MAX));
    if (line !== undefined) this.world.log(`${line}, the master`);
  }

  private stop(
    machine = this.pick(this.up),
    forMs = this.random.below(8) === 0 ? LONG_STOP_MS : this.random.below(STOP_MS_MAX),
  ): string | undefined {
    const process = machine?.node?.process;
    if (machine === undefined || process === undefined) return undefined;
    process.stop();
    this.world.time.after(forMs, () => {
      process.goOn();
    });
    return `${machine.name} stops for ${forMs}ms`;
  }

  private changeLinks(): string {
    const { faults } = this.world.network;
    faults.delayMsMax = [2, 2, 20, 100][this.random.below(4)] ?? 2;
    faults.lostPercent = [0, 0, 5, 30][this.random.below(4)] ?? 0;
    faults.repeatedPercent = [0, 10][this.random.below(2)] ?? 0;
    return `links: ${JSON.stringify(faults)}`;
  }

  private divide(): string {
    const side = new Map(this.machines.map((machine) => [machine, this.random.below(2)]));
    this.cutWhere((one, other) => side.get(one) !== side.get(other));
    return `divided: ${this.machines.map((machine) => `${machine.name}${side.get(machine)}`).join(' ')}`;
  }

  private isolateMaster(): string | undefined {
    const { master } = this;
    if (master === undefined) return undefined;
    this.cutWhere((one, other) => one === master || other === master);
    return `${master.name}, the master, is alone`;
  }

  private cutOneWay(): string | undefined {
    const victim = this.pick(this.machines);
    const isInbound = this.random.below(2) === 0;
    this.cutWhere((one, other) => (isInbound ? other : one) === victim);
    return victim && `nothing ${isInbound ? 'to' : 'from'} ${victim.name}`;
  }

  private cutWhere(isCut: (from: Machine, to: Machine) => boolean): void {
    const { network } = this.world;
    for (const from of this.machines)
      for (const to of this.machines) if (from !== to && isCut(from, to)) network.cut(from.address, to.address);
  }

  private healLinks(): string {
    this.world.network.heal();
    return 'links are whole';
  }

  private fillDisk(): string | undefined {
    const machine = this.pick(this.machines);
    if (machine === undefined) return undefined;
    machine.isDiskFaulty = true;
    machine.disk.setFull(true);
    return `the disk of ${machine.name} is full`;
  }

  private breakDisk(): string | undefined {
    const machine = this.pick(this.machines);
    if (machine === undefined) return undefined;
    machine.isDiskFaulty = true;
    const operation = this.random.below(OPERATIONS_BEFORE_FAULT);
    machine.disk.failAt(operation);
    return `the disk of ${machine.name} fails after ${operation} operations`;
  }

  private slowDisk(): string | undefined {
    const machine = this.pick(this.machines);
    if (machine === undefined) return undefined;
    machine.writeMsMax = SLOW_WRITE_MS;
    return `the disk of ${machine.name} is slow`;
  }

  private repairDisks(): string {
    for (const machine of this.machines) {
      machine.isDiskFaulty = false;
      machine.writeMsMax = machine.usualWriteMsMax;
      machine.disk.setFull(false);
      machine.disk.failAt(undefined);
    }
    return 'disks are whole';
  }

  /**
   * A minority of those that vote may lose what they promised: what a majority has on disk is the definition of agreed. Nor may
   * it happen before all know of the cluster: they would begin another one.
   */
  private loseDirectory(): string | undefined {
    const machine = this.pick(this.machines);
    if (machine === undefined || this.random.below(2) > 0) return undefined;
    const knows = (each: Machine): boolean => each.node?.coordinator.current.clusterUuid !== '' && each.isUp;
    if (!this.machines.every(knows)) return undefined;
    if (machine.raftId === undefined) return undefined;
    // A first voter that never began is as good as lost: its machine came late, and joined as another member.
    const there = new Set(this.machines.flatMap((other) => (other === machine ? [] : (other.raftId ?? []))));
    const groups = this.machines.flatMap(({ node }) => (node === undefined ? [] : [node.group]));
    const voterSets = groups.flatMap(({ voters, outgoingVoters }) => [voters, outgoingVoters]);
    const isMinority = (voters: readonly string[]): boolean =>
      voters.length === 0 || voters.filter((id) => !there.has(id)).length * 2 < voters.length;
    if (!voterSets.every(isMinority)) return undefined;
    machine.loseDirectory();
    return `${machine.name} loses its directory`;
  }

  private jump(): string | undefined {
    const machine = this.pick(this.machines);
    if (machine === undefined) return undefined;
    machine.skewMs = this.random.below(2 * CLOCK_JUMP_MS_MAX) - CLOCK_JUMP_MS_MAX;
    return `the clock of ${machine.name} jumps to ${machine.skewMs}ms`;
  }
}
