import { describe, expect, it } from 'vitest';
import {
  hotThreadsText,
  type HotThreadsOptions,
  type ThreadSamples,
} from '../../../src/actions/nodes/hot-threads-text.js';
import type { ThreadSample, ThreadState } from '../../../src/store/threads.js';

const OPTIONS: HotThreadsOptions = {
  threads: 3,
  intervalMs: 500,
  snapshots: 4,
  type: 'cpu',
  ignoreIdleThreads: true,
};

function thread(id: number, name: string, cpuMs: number, state: ThreadState = 'sleeping', diskMs = 0): ThreadSample {
  return { id, name, state, cpuMs, runnableMs: 0, diskMs };
}

const BEFORE = [thread(1, 'main', 50), thread(2, 'worker-0', 100), thread(3, 'merge', 10), thread(4, 'idle', 5)];
const AFTER = [
  thread(1, 'main', 60),
  thread(2, 'worker-0', 600),
  thread(3, 'merge', 110.5, 'sleeping', 50),
  thread(4, 'idle', 5),
  thread(5, 'new', 3),
];
const BUSY = [thread(1, 'main', 60), thread(2, 'worker-0', 600, 'running'), thread(3, 'merge', 111, 'running')];
const CALM = [thread(1, 'main', 60), thread(2, 'worker-0', 600, 'running'), thread(4, 'idle', 5)];
const SAMPLES: ThreadSamples = {
  nodeName: 'n1',
  atMs: Date.UTC(2026, 0, 2, 3, 4, 5),
  elapsedMs: 500,
  before: BEFORE,
  after: AFTER,
  snapshots: [BUSY, CALM, CALM, CALM],
};

describe('the report', () => {
  it('names the busiest threads, what they used and what they were seen at', () => {
    expect(hotThreadsText(SAMPLES, OPTIONS)).toBe(
      [
        'Hot threads at 2026-01-02T03:04:05.000Z, interval=500ms, busiestThreads=3, ignoreIdleThreads=true:',
        '',
        "100.0% (500ms out of 500ms) cpu usage by thread 'quarry[n1][worker-0][T#2]'",
        '  4/4 snapshots running',
        '',
        "20.1% (100.5ms out of 500ms) cpu usage by thread 'quarry[n1][merge][T#3]'",
        '  3/4 snapshots ended',
        '  1/4 snapshots running',
        '',
        " 2.0% (10ms out of 500ms) cpu usage by thread 'quarry[n1][main][T#1]'",
        '  4/4 snapshots sleeping',
        '',
      ].join('\n'),
    );
  });

  it('keeps to the number of threads', () => {
    const text = hotThreadsText(SAMPLES, { ...OPTIONS, threads: 1 });
    expect(text.match(/usage by thread/g)).toHaveLength(1);
    expect(text).toContain('worker-0');
  });

  it('does not take looking for work', () => {
    const looking = [thread(4, 'idle', 5, 'sampling')];
    const text = hotThreadsText({ ...SAMPLES, snapshots: [looking, looking] }, { ...OPTIONS, threads: 10 });
    expect(text).not.toContain('[idle]');
  });

  it('tells of idle threads when asked to', () => {
    const text = hotThreadsText(SAMPLES, { ...OPTIONS, threads: 10, ignoreIdleThreads: false });
    expect(text).toContain("0.0% (0s out of 500ms) cpu usage by thread 'quarry[n1][idle][T#4]'");
  });

  it('counts time asleep and time waiting for the disk', () => {
    const waiting = hotThreadsText(SAMPLES, { ...OPTIONS, type: 'wait', ignoreIdleThreads: false });
    expect(waiting).toContain("100.0% (500ms out of 500ms) wait usage by thread 'quarry[n1][idle][T#4]'");
    const blocked = hotThreadsText(SAMPLES, { ...OPTIONS, type: 'block', threads: 1 });
    expect(blocked).toContain("10.0% (50ms out of 500ms) block usage by thread 'quarry[n1][merge][T#3]'");
  });

  it('goes by the time that really passed', () => {
    const text = hotThreadsText({ ...SAMPLES, elapsedMs: 1_000 }, { ...OPTIONS, threads: 1 });
    expect(text).toContain('50.0% (500ms out of 1s) cpu usage');
  });
});
