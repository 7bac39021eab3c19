import { expect, test } from 'vitest';
import { MERGE_BYTES_PER_SECOND, MergeScheduler } from '../../src/coordinator/merge-scheduler.js';

/** A merge that ends when told. */
class Work {
  readonly name: string;
  pace: number | undefined;
  end: () => void = () => undefined;
  private fail: (error: Error) => void = () => undefined;

  constructor(job: Uint8Array) {
    this.name = Buffer.from(job).toString();
  }

  setThrottle(bytesPerSecond: number): void {
    this.pace = bytesPerSecond;
  }

  run(): Promise<Uint8Array> {
    return new Promise((resolve, reject) => {
      this.fail = reject;
      this.end = () => {
        resolve(Buffer.from(`${this.name} done`));
      };
    });
  }

  cancel(): void {
    this.fail(new Error(`${this.name} cancelled`));
  }
}

function scheduler(mergesMax: number) {
  const started: Work[] = [];
  const merges = new MergeScheduler(mergesMax, (job) => {
    const work = new Work(job);
    started.push(work);
    return work;
  });
  const run = (owner: string, id: string): Promise<string> =>
    merges.run(owner, id, Buffer.from(id)).then(
      (outcome) => Buffer.from(outcome).toString(),
      (error: unknown) => (error as Error).message,
    );
  return { merges, started, run };
}

const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

test('runs so many at a time, in order of arrival', async () => {
  const { started, run } = scheduler(1);
  const outcomes = [run('a', '1'), run('b', '2')];
  expect(started.map(({ name }) => name)).toEqual(['1']);
  started[0]?.end();
  await turn();
  expect(started.map(({ name }) => name)).toEqual(['1', '2']);
  started[1]?.end();
  expect(await Promise.all(outcomes)).toEqual(['1 done', '2 done']);
});

test('never runs more than it may, also when one comes at the moment in which another ends', async () => {
  const { started, run } = scheduler(1);
  const outcomes = [run('a', '1').then(() => run('a', '3')), run('b', '2')];
  started[0]?.end();
  await turn();
  expect(started.map(({ name }) => name)).toEqual(['1', '2']);
  started[1]?.end();
  await turn();
  expect(started.map(({ name }) => name)).toEqual(['1', '2', '3']);
  started[2]?.end();
  expect(await Promise.all(outcomes)).toEqual(['3 done', '2 done']);
});

test('cancels one that runs, and one that waits without waiting for another', async () => {
  const { merges, started, run } = scheduler(1);
  const outcomes = [run('a', '1'), run('a', '2'), run('a', '3')];
  merges.cancel('a', '2');
  merges.cancel('b', '1');
  expect(await outcomes[1]).toBe('merge was cancelled');
  expect(started.map(({ name }) => name)).toEqual(['1']);
  merges.cancel('a', '1');
  await turn();
  started.at(-1)?.end();
  expect(await Promise.all(outcomes)).toEqual(['1 cancelled', 'merge was cancelled', '3 done']);
  expect(started.map(({ name }) => name)).toEqual(['1', '3']);
});

test('cancels all of a thread and waits for their end', async () => {
  const { merges, started, run } = scheduler(2);
  const outcomes = [run('a', '1'), run('b', '2'), run('a', '3')];
  await merges.cancelAll('a');
  expect(await outcomes[2]).toBe('merge was cancelled');
  started[1]?.end();
  expect(await Promise.all(outcomes)).toEqual(['1 cancelled', '2 done', 'merge was cancelled']);
  await merges.cancelAll('a');
});

test('merges are held to a pace while none waits', async () => {
  const { started, run } = scheduler(1);
  const first = run('a', '1');
  await turn();
  expect(started[0]?.pace).toBe(MERGE_BYTES_PER_SECOND);
  const second = run('a', '2');
  await turn();
  expect(started[0]?.pace).toBe(0);
  started[0]?.end();
  await first;
  await turn();
  expect(started[1]?.pace).toBe(MERGE_BYTES_PER_SECOND);
  started[1]?.end();
  await second;
});
