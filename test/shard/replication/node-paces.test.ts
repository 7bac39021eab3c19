/** Rates of a node, as the limiters of several threads keep them together. */
import { describe, expect, it } from 'vitest';
import { NodePaces, paceWords } from '../../../src/shard/replication/node-paces.js';
import { pacer } from '../../../src/shard/replication/pacer.js';
import type { Pace } from '../../../src/shard/replication/push-segments.js';
import { SimulatedClock } from '../../coordinator/simulated-clock.js';

const RATE = 1_000;
const PIECE = 250;

/** Counts what passes, piece by piece, until it is stopped. */
class Copying {
  bytes = 0;
  isStopped = false;

  constructor(pace: Pace, piece: number, work: () => Promise<void> = () => Promise.resolve()) {
    void this.copy(pace, piece, work);
  }

  private async copy(pace: Pace, piece: number, work: () => Promise<void>): Promise<void> {
    for (;;) {
      await pace(piece, () => !this.isStopped);
      if (this.isStopped) return;
      this.bytes += piece;
      await work();
    }
  }
}

function twoWorkers(): { readonly clock: SimulatedClock; readonly workers: readonly NodePaces[] } {
  const clock = new SimulatedClock();
  const words = paceWords();
  return { clock, workers: [new NodePaces(clock, words), new NodePaces(clock, words)] };
}

function sum(copyings: readonly Copying[]): number {
  return copyings.reduce((total, { bytes }) => total + bytes, 0);
}

describe('the rate of a node', () => {
  it('tells for how long it was waited, by any of its workers', async () => {
    const { clock, workers } = twoWorkers();
    const waited = (name: string): readonly number[] => workers.map((worker) => worker.waitedMs(name));
    expect(waited('snapshot/r')).toEqual([0, 0]);
    for (const worker of workers) {
      const done = worker.pace('snapshot/r', () => RATE)(PIECE);
      await clock.advance(2_000);
      await done;
    }
    const [one = 0, other] = waited('snapshot/r');
    expect(one).toBeGreaterThan(0);
    expect(other).toBe(one);
    expect(waited('snapshot/another')).toEqual([0, 0]);
  });

  it('holds for all of its workers together, from the first piece on', async () => {
    const { clock, workers } = twoWorkers();
    await clock.advance(5_000);
    const copyings = workers.flatMap((worker) =>
      Array.from(
        { length: 3 },
        () =>
          new Copying(
            worker.pace('restore/r', () => RATE),
            PIECE,
          ),
      ),
    );
    for (let second = 1; second <= 20; second++) {
      await clock.advance(1_000);
      expect(sum(copyings)).toBeLessThanOrEqual(second * RATE);
      expect(sum(copyings)).toBeGreaterThan(second * RATE - copyings.length * PIECE);
    }
    for (const { bytes } of copyings) expect(bytes).toBeGreaterThan(0);
  });

  it('is reached by one who works between its pieces', async () => {
    const { clock, workers } = twoWorkers();
    const work = (): Promise<void> => new Promise((resolve) => clock.schedule(40, resolve));
    const copying = new Copying(
      (workers[0] as NodePaces).pace('snapshot/r', () => RATE),
      PIECE,
      work,
    );
    await clock.advance(20_000);
    expect(copying.bytes).toBeGreaterThan(19 * RATE);
    expect(copying.bytes).toBeLessThanOrEqual(20 * RATE);
  });

  it('is not saved up while nothing is copied', async () => {
    const { clock, workers } = twoWorkers();
    const [first, second] = workers.map((worker) => worker.pace('restore/r', () => RATE)) as [Pace, Pace];
    expect(await Promise.all([first(PIECE), clock.advance(250)])).toEqual([250, undefined]);
    await clock.advance(60_000);
    expect(await Promise.all([second(4 * RATE), clock.advance(4_000)])).toEqual([4_000, undefined]);
  });

  it('is of one name: another one has its own, and a limit of 0 is none', async () => {
    const { clock, workers } = twoWorkers();
    const names = ['restore/a', 'restore/b'].map(
      (name) =>
        new Copying(
          (workers[0] as NodePaces).pace(name, () => RATE),
          PIECE,
        ),
    );
    await clock.advance(10_000);
    expect(names.map(({ bytes }) => bytes)).toEqual([10 * RATE, 10 * RATE]);
    expect(await (workers[1] as NodePaces).pace('restore/a', () => 0)(1e12)).toBe(0);
  });

  it('is kept where more names are in use than there are words', async () => {
    const { clock, workers } = twoWorkers();
    const paces = Array.from({ length: 1_500 }, (_, n) => (workers[n % 2] as NodePaces).pace(`name-${n}`, () => RATE));
    const copyings = paces.slice(-3).map((pace) => new Copying(pace, PIECE));
    await clock.advance(10_000);
    for (const { bytes } of copyings) expect(bytes).toBeLessThanOrEqual(10 * RATE);
  });
});

describe('one who waits', () => {
  it('leaves the rate to others soon after its piece is not wanted any more', async () => {
    const { clock, workers } = twoWorkers();
    const [first, second] = workers.map((worker) => worker.pace('snapshot/r', () => RATE)) as [Pace, Pace];
    const large = new Copying(first, 100 * RATE);
    await clock.advance(500);
    large.isStopped = true;
    const small = new Copying(second, PIECE);
    await clock.advance(2_500);
    expect(small.bytes).toBeGreaterThan(2 * RATE);
  });

  it('goes on at a new rate soon', async () => {
    const clock = new SimulatedClock();
    let rate = 1;
    const copying = new Copying(
      pacer(clock, () => rate),
      2 * RATE,
    );
    await clock.advance(1_500);
    rate = RATE;
    await clock.advance(2_500);
    expect(copying.bytes).toBe(2 * RATE);
  });
});
