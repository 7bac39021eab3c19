import { expect, it } from 'vitest';
import { silentLogger } from '../../src/base/logger.js';
import { shardKey } from '../../src/cluster/disks/cluster-info.js';
import type { ShardWriteTime } from '../../src/cluster/nodes/node-reports.js';
import { WriteLoadWatch } from '../../src/coordinator/write-load-watch.js';
import { TestCluster } from '../cluster/allocation/cluster.js';
import { indexOf } from '../cluster/support.js';
import { SimulatedClock } from './simulated-clock.js';

const MINUTE_MS = 60_000;

/** A node with one primary whose writes take so many milliseconds of each second. */
class Watched {
  readonly cluster = new TestCluster('a');
  readonly clock = new SimulatedClock();
  readonly watch: WriteLoadWatch;
  loads: ReadonlyMap<string, number> = new Map();
  busyMs = 0;
  isSilent = false;

  constructor() {
    this.cluster.create('x', { number_of_replicas: 0 });
    this.cluster.settle();
    this.watch = new WriteLoadWatch({
      clock: this.clock,
      logger: silentLogger,
      ask: () => (this.isSilent ? Promise.reject(new Error('no answer')) : Promise.resolve(this.times())),
      found: (loads) => (this.loads = loads),
    });
  }

  get load(): number | undefined {
    return this.loads.get(shardKey(indexOf(this.cluster.state, 'x').uuid, 0));
  }

  async pass(minutes: number, busyMsPerSecond: number): Promise<void> {
    for (let half = 0; half < 2 * minutes; half++) {
      await this.clock.advance(MINUTE_MS / 2);
      this.busyMs += 30 * busyMsPerSecond;
      this.watch.refresh(this.cluster.state);
      await this.clock.settled();
    }
  }

  private times(): readonly ShardWriteTime[] {
    return [{ indexUuid: indexOf(this.cluster.state, 'x').uuid, shard: 0, busyMs: this.busyMs }];
  }
}

it('comes to the load that lasts, and forgets half of it in five minutes', async () => {
  const node = new Watched();
  await node.pass(60, 500);
  expect(node.load).toBe(0.5);
  await node.pass(5, 0);
  expect(node.load).toBe(0.25);
  await node.pass(60, 0);
  expect(node.load).toBeUndefined();
});

it('counts a shard that was opened anew from zero, and keeps the load of one that does not answer', async () => {
  const node = new Watched();
  await node.pass(60, 1_000);
  node.busyMs = 0;
  await node.pass(30, 1_000);
  expect(node.load).toBe(1);
  node.isSilent = true;
  await node.pass(30, 0);
  expect(node.load).toBe(1);
});

it('tells nothing of what is hardly written to, or when it has ended', async () => {
  const node = new Watched();
  await node.pass(60, 20);
  expect(node.loads.size).toBe(0);
  node.watch.end();
  await node.pass(60, 1_000);
  expect(node.loads.size).toBe(0);
});
