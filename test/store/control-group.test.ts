/** What is read of control groups, of both versions, where the system tells all, and where it does not. */
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { controlGroup } from '../../src/store/control-group.js';

let root: string;

beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), 'quarry-groups-'));
});

afterEach(async () => {
  await rm(root, { recursive: true, force: true });
});

async function write(files: Readonly<Record<string, string>>): Promise<void> {
  for (const [name, text] of Object.entries(files)) {
    await mkdir(dirname(join(root, name)), { recursive: true });
    await writeFile(join(root, name), text);
  }
}

const read = (): unknown => controlGroup(join(root, 'membership'), root);

const UNIFIED = {
  membership: '0::/service\n',
  'service/cpu.stat':
    'usage_usec 7\nuser_usec 5\nsystem_usec 2\nnr_periods 3\nnr_throttled 2\nthrottled_usec 4\nnr_bursts 0\n',
  'service/cpu.max': '50000 100000\n',
  'service/memory.max': '1073741824\n',
  'service/memory.current': '4096\n',
};

it('is read of the hierarchy that all controllers share', async () => {
  await write(UNIFIED);
  const told = {
    cpuAccounting: { path: '/service', usageNanos: 7_000 },
    cpu: {
      ...{ path: '/service', periodMicros: 100_000, quotaMicros: 50_000 },
      ...{ elapsedPeriods: 3, throttledTimes: 2, throttledNanos: 4_000 },
    },
    memory: { path: '/service', limit: '1073741824', usage: '4096' },
  };
  expect(read()).toEqual(told);
  await write({ 'service/cpu.max': 'max 100000\n', 'service/memory.max': 'max\n' });
  expect(read()).toMatchObject({ cpu: { quotaMicros: -1 }, memory: { limit: 'max' } });
});

it('is read of hierarchies by controller, at the top where a container does not see its own path', async () => {
  await write({
    membership: '4:memory:/docker/a\n2:cpuacct,cpu:/docker/b\n1:name=systemd:/\n0::/\n',
    'cpu/cpu.stat': 'nr_periods 1\nnr_throttled 2\nthrottled_time 3\n',
    'cpu/cpu.cfs_period_us': '100000\n',
    'cpu/cpu.cfs_quota_us': '-1\n',
    'cpuacct/cpuacct.usage': '12\n',
    'memory/docker/a/memory.limit_in_bytes': '9223372036854771712\n',
    'memory/docker/a/memory.usage_in_bytes': '5\n',
  });
  expect(read()).toEqual({
    cpuAccounting: { path: '/docker/b', usageNanos: 12 },
    cpu: {
      ...{ path: '/docker/b', periodMicros: 100_000, quotaMicros: -1 },
      ...{ elapsedPeriods: 1, throttledTimes: 2, throttledNanos: 3 },
    },
    memory: { path: '/docker/a', limit: '9223372036854771712', usage: '5' },
  });
});

it.each([
  ['membership', ''],
  ['service/cpu.max', 'nonsense\n'],
  ['service/cpu.stat', 'usage_usec 7\n'],
])('is left out where the system does not say all of it: %s', async (name, text) => {
  await write({ ...UNIFIED, [name]: text });
  expect(read()).toBeUndefined();
});

it('is left out where there is none', () => {
  expect(read()).toBeUndefined();
});
