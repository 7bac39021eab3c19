import { expect, it } from 'vitest';
import type { ShardReport } from '../../src/cluster/changes/copies/shard-reports.js';
import { StartReports } from '../../src/node/worker/start-reports.js';
import { SimulatedClock } from '../coordinator/simulated-clock.js';

it('tells of the last copy at once, of others when there are enough or a moment is over', async () => {
  const clock = new SimulatedClock();
  const told: (readonly number[])[] = [];
  const reports = new StartReports(clock, (started) => told.push(started.map(({ shard }) => shard)));
  const add = (shard: number, isLast: boolean): void => {
    const report: ShardReport = { index: 'x', indexUuid: 'u', shard, allocationId: `a${shard}` };
    reports.add(report, isLast);
  };
  add(0, true);
  expect(told).toEqual([[0]]);
  add(1, false);
  add(2, false);
  expect(told).toHaveLength(1);
  add(3, true);
  expect(told.at(-1)).toEqual([1, 2, 3]);
  for (let shard = 4; shard < 20; shard++) add(shard, false);
  expect(told.at(-1)).toHaveLength(16);
  add(20, false);
  expect(told).toHaveLength(3);
  await clock.advance(20);
  expect(told.at(-1)).toEqual([20]);
  await clock.advance(100);
  expect(told).toHaveLength(4);
});
