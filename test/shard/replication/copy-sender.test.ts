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

function primary(): PrimaryStore {
  const checkpoints: Checkpoints = {
    maxSeqNo: NEWEST,
    localCheckpoint: NEWEST,
    persistedCheckpoint: NEWEST,
    globalCheckpoint: -1,
    historyStart: 0,
    primaryTerm: 1,
    searchableCheckpoint: NEWEST,
    refreshGeneration: 7,
  };
  const set = { descriptor: () => new Uint8Array(), refreshGeneration: () => 7, files: () => [] };
  return {
    checkpoints: () => checkpoints,
    failure: () => undefined,
    historyUuid: () => 'h',
    operationsSince: () => Promise.resolve({ bytes: new Uint8Array(), lastSeqNo: NEWEST }),
    refreshInBackground: () => Promise.resolve(true),
    retainFrom: () => undefined,
    segmentSet: () => set as unknown as SegmentSet,
    setGlobalCheckpoint: () => undefined,
    terms: () => [],
  };
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
