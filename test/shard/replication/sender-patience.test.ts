import { describe, expect, it } from 'vitest';
import { recoveryLimits } from '../../../src/cluster/copies/recovery-limits.js';
import { emptyClusterState } from '../../../src/cluster/state.js';
import { boundedLink } from '../../../src/shard/replication/bounded-link.js';
import type { CopyLink } from '../../../src/shard/replication/copy-link.js';
import { SenderPatience } from '../../../src/shard/replication/sender-patience.js';
import { SimulatedClock } from '../../coordinator/simulated-clock.js';

const LIMITS = recoveryLimits(emptyClusterState('c', 'u'));

function patience() {
  const clock = new SimulatedClock();
  return { clock, subject: new SenderPatience(clock, () => LIMITS) };
}

/** How long one pause takes. */
async function pauseMs(
  { clock, subject }: ReturnType<typeof patience>,
  type: 'shard_not_found_exception' | 'node_disconnected_exception',
  isWaitedFor: boolean,
): Promise<number> {
  const startedMs = clock.monotonicMs();
  let endedMs: number | undefined;
  void subject.pause(type, isWaitedFor).then(() => (endedMs = clock.monotonicMs()));
  while (endedMs === undefined) await clock.advance(10);
  return endedMs - startedMs;
}

describe('patience with a copy', () => {
  it('that is in sync ends after ten seconds, and at once when it does not answer', async () => {
    const { clock, subject } = patience();
    expect(subject.mayTryAgain('node_disconnected_exception', true)).toBe(true);
    await clock.advance(9_999);
    expect(subject.mayTryAgain('node_disconnected_exception', true)).toBe(true);
    await clock.advance(1);
    expect(subject.mayTryAgain('node_disconnected_exception', true)).toBe(false);
    expect(patience().subject.mayTryAgain('receive_timeout_transport_exception', true)).toBe(false);
  });

  it('that recovers is a setting', async () => {
    const { clock, subject } = patience();
    expect(subject.mayTryAgain('receive_timeout_transport_exception', false)).toBe(true);
    await clock.advance(LIMITS.inactivityMs - 1);
    expect(subject.mayTryAgain('node_disconnected_exception', false)).toBe(true);
    await clock.advance(1);
    expect(subject.mayTryAgain('node_disconnected_exception', false)).toBe(false);
    subject.noteContact();
    expect(subject.mayTryAgain('node_disconnected_exception', false)).toBe(true);
  });

  it('has none for what is wrong with the copy, and some for what a new alignment mends', () => {
    const { subject } = patience();
    expect(subject.mayTryAgain('corrupt_index_exception', false)).toBe(false);
    for (let n = 0; n < 10; n++) expect(subject.mayTryAgain('operation_gap_exception', false)).toBe(true);
    expect(subject.mayTryAgain('operation_gap_exception', false)).toBe(false);
    subject.noteProgress();
    expect(subject.mayTryAgain('operation_gap_exception', false)).toBe(true);
  });

  it('pauses longer each time, up to the setting', async () => {
    const made = patience();
    const pauses: number[] = [];
    for (let n = 0; n < 8; n++) pauses.push(await pauseMs(made, 'shard_not_found_exception', false));
    expect(pauses).toEqual([20, 40, 80, 160, 320, 500, 500, 500]);
    expect(await pauseMs(made, 'node_disconnected_exception', false)).toBe(1_000);
    expect(await pauseMs(made, 'node_disconnected_exception', true)).toBe(1_000);
    for (let n = 0; n < 3; n++) await pauseMs(made, 'node_disconnected_exception', false);
    expect(await pauseMs(made, 'node_disconnected_exception', false)).toBe(LIMITS.retryNetworkMs);
  });
});

it('calls over a link that hangs end in time', async () => {
  const clock = new SimulatedClock();
  const never = (): Promise<never> => new Promise(() => undefined);
  const link: CopyLink = {
    align: never,
    append: never,
    missingFiles: () => Promise.resolve({ push: 1, missing: [] }),
    writeFile: never,
    install: never,
    finalize: never,
    retain: never,
  };
  const bounded = boundedLink(link, {
    clock,
    msFor: (call) => (call === 'append' ? 1_000 : 5_000),
    signal: () => new AbortController().signal,
  });
  const ended: string[] = [];
  const note = (name: string, call: Promise<unknown>): void => {
    call.then(
      () => ended.push(name),
      (error: unknown) => ended.push(`${name}: ${(error as { type: string }).type}`),
    );
  };
  note('append', bounded.append({ operations: new Uint8Array(), primaryTerm: 1, globalCheckpoint: -1 }));
  note('files', bounded.missingFiles({ descriptor: new Uint8Array(), mode: 'view', files: [] }));
  note('finalize', bounded.finalize({ isOver: true }));
  await clock.advance(999);
  expect(ended).toEqual(['files']);
  await clock.advance(1);
  expect(ended).toEqual(['files', 'append: receive_timeout_transport_exception']);
  await clock.advance(4_000);
  expect(ended).toHaveLength(3);
});
