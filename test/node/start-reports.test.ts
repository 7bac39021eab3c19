import { expect, it } from 'vitest';
import type { ShardReport } from '../../src/cluster/changes/copies/shard-reports.js';
import { StartReports } from '../../src/node/worker/start-reports.js';
import { SimulatedClock } from '../coordinator/simulated-clock.js';

it('tells of the last copy at once, of others when there are enough or a moment is over', async () => {
  const clock = new SimulatedClock();
  const told: (readonly number[])[] = [];
  const reports = new StartReports(clock, (started) => told.push(started.map(({ shard }) => shard)));
  const add = (shard: number, others: number): void => {
    const report: ShardReport = { index: 'x', indexUuid: 'u', shard, allocationId: `a${shard}` };
    reports.add(report, others);
  };
  add(0, 0);
  expect(told).toEqual([[0]]);
  add(1, 2);
  add(2, 1);
  expect(told).toHaveLength(1);
  add(3, 0);
  expect(told.at(-1)).toEqual([1, 2, 3]);
  for (let shard = 4; shard < 68; shard++) add(shard, 100);
  expect(told.at(-1)).toHaveLength(64);
  add(68, 3);
  expect(told).toHaveLength(3);
  await clock.advance(20);
  expect(told.at(-1)).toEqual([68]);
  await clock.advance(100);
  expect(told).toHaveLength(4);
  // While a node opens many.
  add(69, 500);
  await clock.advance(99);
  expect(told).toHaveLength(4);
  await clock.advance(1);
  expect(told.at(-1)).toEqual([69]);
});
