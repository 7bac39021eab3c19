/** What is read of the counters of devices. */
import { expect, it } from 'vitest';
import { trafficOf } from '../../src/store/device-traffic.js';

const STATISTICS = [
  '   7       0 loop0 0 0 0 0 0 0 0 0 0 0 0',
  ' 254       0 vda 10 1 20 30 40 2 50 60 0 70 80 0 0 0 0 0 0',
  ' 259  300000 nvme0n1 1 0 2 3 4 0 5 6 0 7 8',
].join('\n');

it('is that of the device with the number', () => {
  expect(trafficOf(STATISTICS, 0xfe00n)).toEqual({
    ...{ device: 'vda', reads: 10, readBytes: 20 * 512, readMs: 30, writes: 40, writtenBytes: 50 * 512, writeMs: 60 },
    ...{ busyMs: 70, operationsMs: 80 },
  });
});

it('is found by large numbers too', () => {
  const minor = 300_000n;
  const number = (259n << 8n) | (minor & 0xffn) | ((minor & ~0xffn) << 12n);
  expect(trafficOf(STATISTICS, number)).toMatchObject({ device: 'nvme0n1', reads: 1 });
});

it('is left out where there is no such device', () => {
  expect(trafficOf(STATISTICS, 0x2dn)).toBeUndefined();
  expect(trafficOf('', 0xfe00n)).toBeUndefined();
});
