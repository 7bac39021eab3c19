/** A machine of a simulated cluster: what outlives the processes on it. */
import { newUuid, type Random } from '../../src/base/random.js';
import { SimulatedDisk } from '../../src/native/simulated-disk.js';
import type { CopyStore } from './copy-store.js';
import type { SimulatedNetwork } from './network.js';
import { SimulatedNode } from './simulated-node.js';
import type { SimulatedTime } from './simulated-time.js';
import type { StoredSnapshots } from './stored-snapshots.js';
import type { Witness } from './witness.js';

export interface World {
  readonly time: SimulatedTime;
  readonly network: SimulatedNetwork;
  readonly random: Random;
  readonly witness: Witness;
  readonly stored: StoredSnapshots;
  readonly seedHosts: readonly string[];
  readonly initialMasterNodes: readonly string[];
  log(line: string): void;
}

const SEEDS = 0xffff_ffff;
/** Some disks are fast, and of slow ones more is lost with a crash. */
const WRITE_MS_MAX = [4, 4, 60];

export class Machine {
  readonly name: string;
  readonly address: string;
  readonly roles: readonly string[];
  nodeId: string;
  disk: SimulatedDisk;
  raftId: string | undefined;
  stores = new Map<string, CopyStore>();
  isDiskFaulty = false;
  /** Longest time of one write, and what it is when nothing is wrong. */
  writeMsMax: number;
  readonly usualWriteMsMax: number;
  skewMs = 0;
  node: SimulatedNode | undefined;
  private readonly world: World;

  constructor(name: string, place: number, roles: readonly string[], world: World) {
    this.name = name;
    this.address = `10.0.0.${place + 1}:9300`;
    this.roles = roles;
    this.world = world;
    this.nodeId = newUuid(world.random);
    this.disk = new SimulatedDisk(world.random.below(SEEDS));
    this.usualWriteMsMax = WRITE_MS_MAX[world.random.below(WRITE_MS_MAX.length)] ?? 1;
    this.writeMsMax = this.usualWriteMsMax;
  }

  /** Its node runs, or is stopped. */
  get isUp(): boolean {
    return this.node !== undefined && !this.node.process.hasEnded;
  }

  start(): void {
    if (!this.isUp) this.node = new SimulatedNode(this, this.world);
  }

  /** The process ends in the middle of whatever it does. */
  kill(): void {
    this.node?.end();
  }

  losePower(): void {
    this.kill();
    this.disk.losePower();
  }

  /** Whoever starts here next is another node. */
  loseDirectory(): void {
    this.kill();
    const { random } = this.world;
    this.disk = new SimulatedDisk(random.below(SEEDS));
    this.stores = new Map();
    this.nodeId = newUuid(random);
    this.raftId = undefined;
  }
}
