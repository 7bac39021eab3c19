/** What documents hold while they are written: limits at their edges, and counts of several threads together. */
import { describe, expect, it } from 'vitest';
import {
  IndexingPressure,
  pressureFigures,
  pressureLimits,
  pressureWords,
  type PressureFigures,
} from '../../src/base/indexing-pressure.js';
import { memoryBudgetBytes } from '../../src/base/memory.js';
import type { RawSetting } from '../../src/base/node-setting-kinds.js';
import { parseNodeSettings } from '../../src/base/node-settings.js';

const LIMITS = { coordinatingBytes: 100, primaryBytes: 100, replicaBytes: 150 };
const PREFIX = 'indexing_pressure.memory';

/** Two threads of a node. */
function threads(product: 'elasticsearch' | 'opensearch' = 'elasticsearch') {
  const words = pressureWords(2);
  const [one, other] = [0, 1].map((slot) => {
    const pressure = new IndexingPressure(words, LIMITS, product);
    pressure.takeSlot(slot);
    return pressure;
  }) as [IndexingPressure, IndexingPressure];
  return { one, other, words, figures: (): PressureFigures => pressureFigures(words, LIMITS) };
}

/** Work that ends when it is told to. */
function work() {
  let resolve = (_: string): void => undefined;
  let reject = (_: Error): void => undefined;
  const promise = new Promise<string>((...both) => {
    [resolve, reject] = both;
  });
  return { run: () => promise, resolve, reject };
}

const done = (): Promise<string> => Promise.resolve('done');
const elsewhere = { operations: 3, isCoordinatedHere: false, isForced: false };
const NOTHING = { combined: 0, coordinating: 0, primary: 0, replica: 0 };

function limits(raw: Readonly<Record<string, RawSetting>>) {
  return pressureLimits(parseNodeSettings(new Map(Object.entries(raw))));
}

describe('settings', () => {
  it('are a share of the memory, and half as much more for replicas', () => {
    const tenth = Math.floor(memoryBudgetBytes() / 10);
    const byDefault = { coordinatingBytes: tenth, primaryBytes: tenth, replicaBytes: Math.floor(tenth * 1.5) };
    expect(limits({})).toEqual(byDefault);
    expect(limits({ [`${PREFIX}.limit`]: '1kb' })).toEqual({
      coordinatingBytes: 1024,
      primaryBytes: 1024,
      replicaBytes: 1536,
    });
  });

  it('of a stage win over that of all', () => {
    const all = { [`${PREFIX}.limit`]: '1kb' };
    expect(limits({ ...all, [`${PREFIX}.coordinating.limit`]: '2kb' }).coordinatingBytes).toBe(2048);
    expect(limits({ ...all, [`${PREFIX}.primary.limit`]: '2kb' })).toEqual({
      coordinatingBytes: 1024,
      primaryBytes: 2048,
      replicaBytes: 3072,
    });
    expect(limits({ ...all, [`${PREFIX}.replica.limit`]: '0' }).replicaBytes).toBe(0);
  });

  it.each([
    ['limit', '-1', 'a percentage or a size of at least \\[0\\] is expected'],
    ['limit', '101%', 'at most \\[100%\\]'],
    ['replica.limit', '12', 'unit is missing'],
    ['split_bulk.watermark.high', '7.5%', `unknown setting \\[${PREFIX}.split_bulk.watermark.high\\]`],
  ])('%s: %s is refused', (name, value, reason) => {
    expect(() => limits({ [`${PREFIX}.${name}`]: value })).toThrow(new RegExp(reason));
  });
});

describe('what is coordinated', () => {
  it('is taken at the limit and refused one byte beyond', async () => {
    const { one, other, figures } = threads();
    const held = work();
    const first = one.coordinate(60, () => false, held.run);
    expect(await other.coordinate(40, () => false, done)).toBe('done');
    const refused = other.coordinate(41, () => false, done);
    await expect(refused).rejects.toThrow(
      'rejected execution of coordinating operation [coordinating_and_primary_bytes=60, replica_bytes=0, all_bytes=60, ' +
        'coordinating_operation_bytes=41, max_coordinating_bytes=100]',
    );
    await expect(refused).rejects.toMatchObject({ type: 'es_rejected_execution_exception', status: 429 });
    expect(figures().current).toEqual({ combined: 60, coordinating: 60, primary: 0, replica: 0 });
    expect(figures().rejections.coordinating).toBe(1);
    held.resolve('first');
    expect(await first).toBe('first');
    expect(await other.coordinate(100, () => false, done)).toBe('done');
    expect(figures().current).toEqual(NOTHING);
    expect(figures().total).toEqual({ combined: 200, coordinating: 200, primary: 0, replica: 0 });
  });

  it('is given back when it fails, at once or later', async () => {
    const { one, figures } = threads();
    const held = work();
    const first = one.coordinate(60, () => false, held.run);
    held.reject(new Error('later'));
    await expect(first).rejects.toThrow('later');
    const fail = (): never => {
      throw new Error('at once');
    };
    await expect(one.coordinate(60, () => false, fail)).rejects.toThrow('at once');
    expect(figures().current).toEqual(NOTHING);
  });

  it('is taken beyond the limit where nothing else would do', async () => {
    const { one, figures } = threads();
    expect(await one.coordinate(101, () => true, done)).toBe('done');
    expect(figures().rejections.coordinating).toBe(0);
  });

  it('is refused in the words of the other product', async () => {
    const { one } = threads('opensearch');
    const refused = one.coordinate(101, () => false, done);
    await expect(refused).rejects.toMatchObject({ type: 'rejected_execution_exception' });
    await expect(refused).rejects.toThrow('max_coordinating_and_primary_bytes=100]');
  });

  it('of a thread that ended is nothing to the one that takes its place', async () => {
    const { one, words, figures } = threads();
    void one.coordinate(
      60,
      () => false,
      () => new Promise<never>(() => undefined),
    );
    const successor = new IndexingPressure(words, LIMITS, 'elasticsearch');
    successor.takeSlot(0);
    expect(figures().current).toEqual(NOTHING);
    expect(figures().total.coordinating).toBe(60);
    expect(await successor.coordinate(100, () => false, done)).toBe('done');
  });
});

describe('a primary', () => {
  it('is refused what another node coordinates one byte beyond the limit', async () => {
    const { one, other, figures } = threads();
    const held = work();
    const first = one.coordinate(60, () => false, held.run);
    expect(await other.carryOut({ ...elsewhere, bytes: 40 }, done)).toBe('done');
    await expect(other.carryOut({ ...elsewhere, bytes: 41 }, done)).rejects.toThrow(
      'rejected execution of primary operation [coordinating_and_primary_bytes=60, replica_bytes=0, all_bytes=60, ' +
        'primary_operation_bytes=41, max_primary_bytes=100]',
    );
    expect(figures().rejections).toEqual({ coordinating: 0, primary: 1, replica: 0, primaryDocuments: 3 });
    held.resolve('');
    await first;
    expect(figures().current).toEqual(NOTHING);
    expect(figures().total).toEqual({ combined: 100, coordinating: 60, primary: 40, replica: 0 });
  });

  it('counts what its own node coordinates once', async () => {
    const { one, figures } = threads();
    const held = work();
    const write = one.coordinate(
      60,
      () => false,
      () => one.carryOut({ ...elsewhere, bytes: 90, isCoordinatedHere: true }, held.run),
    );
    expect(figures().current).toEqual({ combined: 60, coordinating: 60, primary: 90, replica: 0 });
    held.resolve('');
    await write;
    expect(figures().current).toEqual(NOTHING);
    expect(figures().total).toEqual({ combined: 60, coordinating: 60, primary: 90, replica: 0 });
  });
});

describe('a replica', () => {
  it('takes operations at its limit, refuses one byte beyond, and fills the node for others', async () => {
    const { one, other, figures } = threads();
    const held = work();
    const first = one.replicate(100, false, held.run);
    expect(await other.replicate(50, false, done)).toBe('done');
    await expect(other.replicate(51, false, done)).rejects.toThrow(
      'rejected execution of replica operation [replica_bytes=100, replica_operation_bytes=51, max_replica_bytes=150]',
    );
    expect(await other.replicate(51, true, done)).toBe('done');
    await expect(other.coordinate(1, () => false, done)).rejects.toThrow(
      '[coordinating_and_primary_bytes=0, replica_bytes=100, all_bytes=100, coordinating_operation_bytes=1,',
    );
    expect(figures().rejections).toEqual({ coordinating: 1, primary: 0, replica: 1, primaryDocuments: 0 });
    held.resolve('');
    await first;
    expect(figures().current).toEqual(NOTHING);
  });

  it('takes operations that are larger than its limit where no others are held', async () => {
    const { one, figures } = threads();
    expect(await one.replicate(151, false, done)).toBe('done');
    expect(figures().rejections.replica).toBe(0);
  });
});
