import { expect, test, vi } from 'vitest';
import { systemClock, type Clock } from '../../src/base/clock.js';
import { silentLogger } from '../../src/base/logger.js';
import type { NativeShard } from '../../src/native/shard.js';
import {
  ManagedShard,
  type ManagedShardServices,
  type ManagedShardSettings,
  type RunningMerge,
  type ShardMerges,
} from '../../src/shard/managed-shard.js';
import { recoveryLimits } from '../../src/cluster/copies/recovery-limits.js';
import { emptyClusterState } from '../../src/cluster/state.js';
import type { ReplicationServices } from '../../src/shard/replication/replication-group.js';

/** A clock that goes on only when told. */
class ManualClock implements Clock {
  private now = 0;
  private readonly pending: { at: number; action: () => void; cancelled: boolean }[] = [];

  nowMs(): number {
    return this.now;
  }

  monotonicMs(): number {
    return this.now;
  }

  schedule(delayMs: number, action: () => void): () => void {
    const entry = { at: this.now + delayMs, action, cancelled: false };
    this.pending.push(entry);
    return () => {
      entry.cancelled = true;
    };
  }

  advance(milliseconds: number): void {
    const end = this.now + milliseconds;
    for (;;) {
      const due = this.pending.filter(({ at, cancelled }) => !cancelled && at <= end).sort((a, b) => a.at - b.at)[0];
      if (due === undefined) break;
      due.cancelled = true;
      this.now = due.at;
      due.action();
    }
    this.now = end;
  }
}

/** Notes what is asked of it. */
class NativeDouble {
  readonly calls: string[] = [];
  dirty = false;
  flushDue = false;
  bytes = 0;
  failureReason: string | undefined;

  failure(): string | undefined {
    return this.failureReason;
  }

  checkpoints(): { maxSeqNo: number; globalCheckpoint: number } {
    return { maxSeqNo: -1, globalCheckpoint: -1 };
  }

  retainFrom(): void {
    return undefined;
  }

  indexingBytes(): number {
    return this.bytes;
  }

  releaseMemory(): void {
    this.calls.push('release');
  }

  isSearchedElsewhere = false;
  isIdle = false;

  takeSearched(): boolean {
    const was = this.isSearchedElsewhere;
    this.isSearchedElsewhere = false;
    return was;
  }

  setIdle(isIdle: boolean): void {
    this.isIdle = isIdle;
  }

  isDirty(): boolean {
    return this.dirty;
  }

  refresh(): boolean {
    this.calls.push('refresh');
    const was = this.dirty;
    this.dirty = false;
    return was;
  }

  refreshInBackground(): Promise<boolean> {
    return Promise.resolve(this.refresh());
  }

  needsFlush(): boolean {
    return this.flushDue;
  }

  flush(): Promise<boolean> {
    this.calls.push('flush');
    this.flushDue = false;
    return Promise.resolve(true);
  }

  sync(): Promise<void> {
    this.calls.push('sync');
    return Promise.resolve();
  }

  segments(): readonly unknown[] {
    return [];
  }

  searcher(): string {
    return 'searcher';
  }

  beginMerge(segments: readonly string[]): Uint8Array {
    this.calls.push(`begin ${segments.join('+')}`);
    return new Uint8Array();
  }

  finishMerge(): void {
    this.calls.push('finish');
  }

  abortMerge(): void {
    this.calls.push('abort');
  }

  updateSettings(): void {
    this.calls.push('settings');
  }

  close(): Promise<void> {
    this.calls.push('close');
    return Promise.resolve();
  }
}

const SETTINGS: ManagedShardSettings = {
  native: {
    durability: 'request',
    flushThresholdBytes: 1,
    generationThresholdBytes: 1,
    gcDeletesMs: 1,
    codec: 'default',
    replicas: 0,
  },
  refreshIntervalMs: 1_000,
  searchIdleAfterMs: undefined,
  syncIntervalMs: 5_000,
  refreshListenersMax: 2,
};

const NO_MERGES: ShardMerges = { choose: () => [], start: () => mergeThat(Promise.resolve(new Uint8Array())) };

const NO_REPLICATION: ReplicationServices = {
  clock: systemClock,
  logger: silentLogger,
  pace: () => Promise.resolve(0),
  retention: {
    ownNodeId: 'node-1',
    known: [],
    periodMs: () => 1,
    save: () => undefined,
    settled: () => Promise.resolve(),
  },
  limits: () => recoveryLimits(emptyClusterState('c', 'u')),
  link: () => {
    throw new Error('there are no other copies');
  },
  reportStarted: () => Promise.resolve(),
  reportFailed: () => Promise.resolve(),
};

function mergeThat(done: Promise<Uint8Array>): RunningMerge {
  return { done, cancel: () => undefined };
}

function manage(settings: Partial<ManagedShardSettings> = {}, merges = NO_MERGES) {
  const clock = new ManualClock();
  const native = new NativeDouble();
  const key = { index: 'test', indexUuid: 'uuid', shard: 0 };
  const failures: string[] = [];
  const held: number[] = [];
  const services: ManagedShardServices = {
    clock,
    logger: silentLogger,
    merges,
    memory: { changed: (_shard, bytes) => held.push(bytes) },
    replication: NO_REPLICATION,
    onFailure: (reason) => failures.push(reason),
  };
  const shard = new ManagedShard(key, native as unknown as NativeShard, { ...SETTINGS, ...settings }, services);
  return { clock, native, shard, failures, held };
}

test('refreshes on schedule, and only when there is something new', () => {
  const { clock, native } = manage();
  clock.advance(3_000);
  expect(native.calls).toEqual([]);
  native.dirty = true;
  clock.advance(1_000);
  expect(native.calls).toEqual(['refresh']);
});

test('never refreshes by itself when the interval is -1', () => {
  const { clock, native } = manage({ refreshIntervalMs: -1 });
  native.dirty = true;
  clock.advance(60_000);
  expect(native.calls).toEqual([]);
});

test('an idle shard is left alone until it is searched', () => {
  const { clock, native, shard } = manage({ searchIdleAfterMs: 30_000 });
  clock.advance(40_000);
  native.dirty = true;
  clock.advance(10_000);
  expect(native.calls).toEqual([]);
  shard.searcher();
  expect(native.calls).toEqual(['refresh']);
});

test('searches by other threads keep a shard from being idle, and find out that it is', () => {
  const { clock, native, shard } = manage({ searchIdleAfterMs: 30_000 });
  clock.advance(25_000);
  native.isSearchedElsewhere = true;
  clock.advance(10_000);
  native.dirty = true;
  clock.advance(2_000);
  expect(native.isIdle).toBe(false);
  expect(native.calls).toEqual(['refresh']);
  clock.advance(40_000);
  expect(native.isIdle).toBe(true);
  shard.searcher();
  expect(native.isIdle).toBe(false);
});

test('a shard that was idle is shown to other threads only after it has caught up', async () => {
  const { clock, native, shard } = manage({ searchIdleAfterMs: 30_000 });
  clock.advance(40_000);
  native.dirty = true;
  void shard.whenRefreshed();
  // Whoever searches now asks here, and sees what was written while it was idle.
  expect(native.isIdle).toBe(true);
  shard.searcher();
  expect(native.calls).toEqual(['refresh']);
  expect(native.isIdle).toBe(false);

  clock.advance(40_000);
  native.dirty = true;
  let finish: (refreshed: boolean) => void = () => undefined;
  native.refreshInBackground = () => new Promise((resolve) => (finish = resolve));
  const refreshed = shard.whenRefreshed();
  clock.advance(1_000);
  expect(native.isIdle).toBe(true);
  native.dirty = false;
  finish(true);
  await refreshed;
  expect(native.isIdle).toBe(false);
});

test('those who wait for a refresh are told, and too many bring it about', async () => {
  const { clock, native, shard } = manage();
  native.dirty = true;
  const first = shard.whenRefreshed();
  clock.advance(1_000);
  await first;
  native.dirty = true;
  const waits = [shard.whenRefreshed(), shard.whenRefreshed()];
  expect(native.calls).toEqual(['refresh']);
  waits.push(shard.whenRefreshed());
  await Promise.all(waits);
  expect(native.calls).toEqual(['refresh', 'refresh']);
  await shard.whenRefreshed();
});

test('flushes after writes when the translog is due', async () => {
  const { native, shard } = manage();
  shard.wrote();
  expect(native.calls).toEqual([]);
  native.flushDue = true;
  shard.wrote();
  shard.wrote();
  await vi.waitFor(() => {
    expect(native.calls).toEqual(['refresh', 'flush']);
  });
});

test('an asynchronous translog is synced on schedule', () => {
  const { clock, native, shard } = manage();
  clock.advance(20_000);
  expect(native.calls).toEqual([]);
  shard.update({ ...SETTINGS, native: { ...SETTINGS.native, durability: 'async' } });
  clock.advance(10_000);
  expect(native.calls).toEqual(['settings', 'sync', 'sync']);
});

test('merges what is chosen, one after the other, and frees the segments of a merge that fails', async () => {
  const due = [
    ['_0', '_1'],
    ['_2', '_3'],
  ];
  let fails = false;
  const { native, shard } = manage(
    {},
    {
      choose: () => due.splice(0, 1),
      start: () => mergeThat(fails ? Promise.reject(new Error('disk full')) : Promise.resolve(new Uint8Array())),
    },
  );
  native.dirty = true;
  shard.refresh();
  await new Promise((resolve) => setImmediate(resolve));
  expect(native.calls).toEqual(['refresh', 'begin _0+_1', 'finish', 'begin _2+_3', 'finish']);
  native.calls.length = 0;
  due.push(['_4', '_5']);
  fails = true;
  native.dirty = true;
  shard.refresh();
  await new Promise((resolve) => setImmediate(resolve));
  expect(native.calls).toEqual(['refresh', 'begin _4+_5', 'abort']);
});

test('closing flushes, answers those who wait, and stops the clockwork', async () => {
  const { clock, native, shard } = manage();
  native.dirty = true;
  const waiting = shard.whenRefreshed();
  await shard.close();
  await waiting;
  expect(native.calls).toEqual(['flush', 'close']);
  clock.advance(10_000);
  expect(native.calls).toEqual(['flush', 'close']);
});

test('closing cancels a merge, waits for its end and frees its segments before the last flush', async () => {
  let fail: (error: Error) => void = () => undefined;
  const done = new Promise<Uint8Array>((_, reject) => (fail = reject));
  const due = [['_0', '_1']];
  const cancel = (): void => {
    fail(new Error('cancelled'));
  };
  const { native, shard } = manage({}, { choose: () => due.splice(0, 1), start: () => ({ done, cancel }) });
  native.dirty = true;
  shard.refresh();
  await shard.close();
  expect(native.calls).toEqual(['refresh', 'begin _0+_1', 'abort', 'flush', 'close']);
});

test('no merge begins once closing has begun', async () => {
  const { native, shard } = manage();
  const closing = shard.close();
  await expect(shard.merge(['_0', '_1'])).rejects.toThrow('the shard is being closed');
  await closing;
  expect(native.calls).toEqual(['flush', 'close']);
});

test('a buffer that cannot be emptied is still accounted for, unless the shard failed', () => {
  const { native, shard } = manage();
  native.bytes = 700;
  native.refresh = () => {
    throw new Error('refused');
  };
  expect([shard.relieve(), shard.shutBecause]).toEqual([700, undefined]);
  native.failureReason = 'the disk is full';
  expect([shard.relieve(), shard.shutBecause]).toEqual([0, 'the disk is full']);
});

test('a shard that cannot go on is reported once, stops its clockwork and is closed without a flush', async () => {
  const { clock, native, shard, failures, held } = manage();
  shard.noticeFailure();
  expect(failures).toEqual([]);
  native.failureReason = 'the disk is full';
  native.dirty = true;
  native.refresh = () => {
    throw new Error('refused');
  };
  clock.advance(1_000);
  clock.advance(10_000);
  shard.noticeFailure();
  shard.update(SETTINGS);
  clock.advance(10_000);
  expect(failures).toEqual(['the disk is full']);
  expect(held).toEqual([0]);
  await shard.close();
  expect(native.calls).toEqual(['settings', 'close']);
});

test('tells what its buffer holds, and gives memory back when asked or long idle', () => {
  const { clock, native, shard, held } = manage({ refreshIntervalMs: -1 });
  native.bytes = 700;
  shard.wrote();
  native.dirty = true;
  clock.advance(60_000);
  expect(native.calls).toEqual([]);
  native.bytes = 20;
  expect(shard.relieve()).toBe(20);
  expect(native.calls).toEqual(['refresh', 'release']);
  shard.wrote();
  clock.advance(90_000);
  expect(native.calls).toEqual(['refresh', 'release', 'release']);
  expect(held).toEqual([700, 20, 20]);
});
