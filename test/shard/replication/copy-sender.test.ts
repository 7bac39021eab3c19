import { expect, it } from 'vitest';
import { QuarryError } from '../../../src/base/errors.js';
import { recoveryLimits } from '../../../src/cluster/copies/recovery-limits.js';
import { emptyClusterState } from '../../../src/cluster/state.js';
import type { Checkpoints, SegmentSet } from '../../../src/native/replication.js';
import type { CopyLink } from '../../../src/shard/replication/copy-link.js';
import { CopySender, type PrimaryStore } from '../../../src/shard/replication/copy-sender.js';
import { SimulatedClock } from '../../coordinator/simulated-clock.js';

const LIMITS = recoveryLimits(emptyClusterState('c', 'u'));
/** Operations and a refresh that the copy lacks. */
const NEWEST = 4;

function primary(operationsSince = noOperations, refreshGeneration = () => 7): PrimaryStore {
  const checkpoints = (): Checkpoints => ({
    maxSeqNo: NEWEST,
    localCheckpoint: NEWEST,
    persistedCheckpoint: NEWEST,
    globalCheckpoint: -1,
    historyStart: 0,
    primaryTerm: 1,
    searchableCheckpoint: NEWEST,
    refreshGeneration: refreshGeneration(),
  });
  const set = (): unknown => {
    const generation = refreshGeneration();
    return { descriptor: () => new Uint8Array(), refreshGeneration: () => generation, files: () => [] };
  };
  return {
    checkpoints,
    failure: () => undefined,
    historyUuid: () => 'h',
    operationsSince,
    refreshInBackground: () => Promise.resolve(true),
    retainFrom: () => undefined,
    segmentSet: () => set() as SegmentSet,
    setGlobalCheckpoint: () => undefined,
    terms: () => [],
  };
}

function noOperations(_: number, maxBytes: number): Promise<{ bytes: Uint8Array; lastSeqNo: number }> {
  return Promise.resolve({ bytes: new Uint8Array(Math.min(maxBytes, 0)), lastSeqNo: NEWEST });
}

function never(): Promise<never> {
  return new Promise(() => undefined);
}

/** What the sender asked of a copy, one of whose calls is never answered and another fails, the first time. */
async function callsOf(hanging: keyof CopyLink, failing: keyof CopyLink): Promise<readonly string[]> {
  const clock = new SimulatedClock();
  const calls: string[] = [];
  let failed = false;
  const call = <Answer>(name: keyof CopyLink, answer: Answer): Promise<Answer> => {
    calls.push(name);
    if (failed) return Promise.resolve(answer);
    if (name === hanging) return never();
    if (name !== failing) return Promise.resolve(answer);
    failed = true;
    return Promise.reject(new QuarryError('node_disconnected_exception', 'the link broke'));
  };
  const link: CopyLink = {
    align: () => call('align', { outcome: 'aligned', maxSeqNo: 0 }),
    append: () => call('append', { maxSeqNo: NEWEST }),
    missingFiles: () => call('missingFiles', { push: 1, missing: [] }),
    writeFile: () => call('writeFile', null),
    install: () => call('install', { maxSeqNo: NEWEST }),
    finalize: () => call('finalize', null),
    retain: () => call('retain', null),
  };
  const owner = { progressed: () => undefined, level: () => undefined, failed: never, deposed: never };
  const services = { clock, pace: () => Promise.resolve(0), limits: () => LIMITS };
  const copy = { allocationId: 'a', nodeId: 'n2', workerSlot: 0 };
  const sender = new CopySender(copy, true, primary(), link, owner, services);
  const run = sender.run();
  await clock.settled();
  await clock.advance(1_000);
  sender.stop();
  await clock.settled();
  await run;
  expect(sender.acknowledged).toBe(NEWEST);
  expect(sender.installedGeneration).toBe(7);
  return calls;
}

it.each([
  ['missingFiles', 'append'],
  ['append', 'missingFiles'],
] as const)('aligns a copy anew when, while [%s] hangs, [%s] has failed', async (hanging, failing) => {
  const calls = await callsOf(hanging, failing);
  const twice = ['align', 'append', 'missingFiles'];
  expect([...calls].sort()).toEqual([...twice, ...twice, 'install'].sort());
  // The second alignment comes after the failure, and only then is anything asked again.
  expect(calls.lastIndexOf('align')).toBe(3);
});

/** A sender whose copy refuses operations until it is told to take them. Its primary refreshes once a second, where the copy takes segments. */
function refusedSender({ takesSegments = false } = {}) {
  const clock = new SimulatedClock();
  const sent: number[] = [];
  const reasons: string[] = [];
  const calls: string[] = [];
  const copyState = { hasRoom: false, failPush: (_: QuarryError): void => undefined };
  const link: CopyLink = {
    align: () => {
      calls.push('align');
      return Promise.resolve({ outcome: 'aligned', maxSeqNo: 0 });
    },
    append: ({ operations }) => {
      sent.push(operations.length);
      if (copyState.hasRoom) return Promise.resolve({ maxSeqNo: NEWEST });
      return Promise.reject(new QuarryError('es_rejected_execution_exception', 'full'));
    },
    missingFiles: () => {
      calls.push('missingFiles');
      if (takesSegments) return Promise.resolve({ push: 1, missing: [] });
      return new Promise((_, reject) => (copyState.failPush = reject));
    },
    writeFile: never,
    install: () => Promise.resolve({ maxSeqNo: NEWEST }),
    finalize: () => Promise.resolve(null),
    retain: () => Promise.resolve(null),
  };
  const failed = (_: CopySender, reason: string): void => void reasons.push(reason);
  const owner = { progressed: () => undefined, level: () => undefined, failed, deposed: never };
  const services = { clock, pace: () => Promise.resolve(0), limits: () => LIMITS };
  const copy = { allocationId: 'a', nodeId: 'n2', workerSlot: 0 };
  const store = primary(
    (seqNo, maxBytes) => Promise.resolve({ bytes: new Uint8Array(Math.min(maxBytes, 1_000)), lastSeqNo: seqNo }),
    () => Math.floor(clock.monotonicMs() / 1_000),
  );
  const sender = new CopySender(copy, true, store, link, owner, services);
  return { calls, clock, copyState, reasons, run: sender.run(), sender, sent };
}

it('sends less to a copy that has no room, until it has some, and then twice as much each time', async () => {
  const { clock, copyState, reasons, run, sender, sent } = refusedSender();
  await clock.settled();
  for (let second = 0; second < 50; second++) await clock.advance(1_000);
  expect(sent.slice(0, 4)).toEqual([1_000, 500, 250, 125]);
  expect(sent.at(-1)).toBe(1);
  copyState.hasRoom = true;
  const before = sent.length;
  await clock.advance(1_000);
  expect(sent.slice(before)).toEqual([1, 2, 4, 8]);
  expect(sender.acknowledged).toBe(NEWEST);
  expect(reasons).toEqual([]);
  sender.stop();
  await clock.advance(1_000_000);
  await run;
});

it('neither aligns a copy that has no room nor begins a push anew', async () => {
  const { calls, clock, copyState, run, sender, sent } = refusedSender();
  await clock.settled();
  const tries = async (ms: number): Promise<number> => {
    const before = sent.length;
    await clock.advance(ms);
    return sent.length - before;
  };
  // After 20, 40, 80, 160, 320 and 640 ms, then once a second.
  expect([await tries(1_300), await tries(10_000)]).toEqual([6, 10]);
  sender.wake();
  expect(await tries(500)).toBe(0);
  copyState.hasRoom = true;
  await clock.advance(1_000);
  expect(sender.acknowledged).toBe(NEWEST);
  expect(calls).toEqual(['align', 'missingFiles']);
  sender.stop();
  await clock.advance(1_000_000);
  await run;
});

it('aligns a copy anew at once when its segments fail while it has no room', async () => {
  const { calls, clock, copyState, run, sender, sent } = refusedSender();
  await clock.settled();
  await clock.advance(5_000);
  const before = sent.length;
  copyState.failPush(new QuarryError('node_disconnected_exception', 'the link broke'));
  await clock.settled();
  await clock.advance(20);
  expect(calls).toEqual(['align', 'missingFiles', 'align', 'missingFiles']);
  expect(sent).toHaveLength(before + 1);
  sender.stop();
  await clock.advance(1_000_000);
  await run;
});

it('gives up a copy that has had no room for a minute', async () => {
  const { clock, reasons, run } = refusedSender();
  await clock.settled();
  for (let second = 0; second < 59; second++) await clock.advance(1_000);
  expect(reasons).toEqual([]);
  for (let second = 0; second < 3; second++) await clock.advance(1_000);
  expect(reasons).toEqual(['es_rejected_execution_exception: full']);
  await run;
});

it('gives up a copy that has had no room for a minute, though it takes segments meanwhile', async () => {
  const { clock, reasons, run, sender } = refusedSender({ takesSegments: true });
  const passSecond = async (): Promise<void> => {
    await clock.advance(1_000);
    sender.wake();
    await clock.settled();
  };
  await clock.settled();
  for (let second = 0; second < 59; second++) await passSecond();
  expect(sender.installedGeneration).toBeGreaterThan(50);
  expect(reasons).toEqual([]);
  for (let second = 0; second < 3; second++) await passSecond();
  expect(reasons).toEqual(['es_rejected_execution_exception: full']);
  await run;
});
