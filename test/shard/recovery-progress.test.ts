import { expect, it } from 'vitest';
import type { Clock } from '../../src/base/clock.js';
import { byteCounts, fileCounts, operationsPercent } from '../../src/actions/indices/recoveries.js';
import { RecoveryProgress } from '../../src/shard/recovery-progress.js';

function progress() {
  let nowMs = 1_000;
  const clock: Clock = { nowMs: () => 50_000 + nowMs, monotonicMs: () => nowMs, schedule: () => () => undefined };
  const origin = { type: 'PEER', primary: false, source: undefined, target: undefined } as const;
  return { subject: new RecoveryProgress(origin, clock), pass: (ms: number) => (nowMs += ms) };
}

const FILES = [
  { name: 'a', length: 100 },
  { name: 'b', length: 300 },
  { name: 'c', length: 600 },
];

it('goes through its stages and takes their times', () => {
  const { subject, pass } = progress();
  expect(subject.report()).toMatchObject({ stage: 'INIT', startedAtMs: 51_000, stoppedAtMs: undefined, totalMs: 0 });
  for (const [stage, ms] of [
    ['INDEX', 10],
    ['VERIFY_INDEX', 20],
    ['TRANSLOG', 30],
    ['INDEX', 5],
    ['TRANSLOG', 1],
    ['FINALIZE', 2],
  ] as const) {
    subject.enter(stage);
    pass(ms);
  }
  expect(subject.report()).toMatchObject({ stage: 'FINALIZE', indexMs: 15, verifyMs: 20, translogMs: 31, totalMs: 68 });
  subject.enter('DONE');
  pass(1_000);
  subject.enter('INDEX');
  subject.planFiles(FILES, new Set(['a']));
  subject.recoveredOperations(5);
  expect(subject.isDone).toBe(true);
  expect(subject.report()).toMatchObject({ stage: 'DONE', stoppedAtMs: 51_068, totalMs: 68, files: [] });
  expect(subject.report().operations).toEqual({ recovered: 0, total: 0, totalOnStart: 0 });
});

it('counts files that were there and files that come, over interruptions', () => {
  const { subject } = progress();
  expect(fileCounts(subject.report())).toEqual({ total: 0, reused: 0, recovered: 0, percent: '0.0%' });
  subject.planFiles(FILES, new Set(['b', 'c']));
  subject.received('b', 300, 40);
  subject.received('c', 150, 70);
  expect(fileCounts(subject.report())).toEqual({ total: 3, reused: 1, recovered: 1, percent: '50.0%' });
  expect(byteCounts(subject.report())).toEqual({ total: 1_000, reused: 100, recovered: 450, percent: '50.0%' });
  expect(subject.report().sourceThrottleMs).toBe(70);
  // The next try: what came before is not missing any more, and was not there from the beginning.
  subject.planFiles(FILES, new Set(['c']));
  subject.received('c', 600, 10);
  expect(fileCounts(subject.report())).toEqual({ total: 3, reused: 1, recovered: 2, percent: '100.0%' });
  // Merged away at the source meanwhile.
  subject.planFiles(FILES.slice(0, 2), new Set());
  expect(fileCounts(subject.report())).toMatchObject({ total: 2, reused: 1, recovered: 1 });
});

it('counts operations, those that come while it goes on as well', () => {
  const { subject } = progress();
  subject.planOperations(20);
  expect(operationsPercent(subject.report())).toBe('0.0%');
  subject.recoveredOperations(15);
  expect(operationsPercent(subject.report())).toBe('75.0%');
  // Aligned anew after an interruption.
  subject.planOperations(10);
  subject.recoveredOperations(12);
  expect(subject.report().operations).toEqual({ recovered: 27, total: 27, totalOnStart: 20 });
  expect(operationsPercent(subject.report())).toBe('100.0%');
});
