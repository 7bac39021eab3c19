/** From the start of the process to the first answer, and the private memory of an idle node; the median of several starts. */
import { setTimeout as sleep } from 'node:timers/promises';
import { anonymousMegabytes, privateMegabytes, startQuarry } from './servers.js';

/** After the start, until memory is looked at: soon, and when V8 has given back what the start needed (it waits 8 s for more to do). */
const IDLE_MS = [2_000, 15_000] as const;

function median(values: readonly number[]): number {
  return [...values].sort((left, right) => left - right)[values.length >> 1] ?? Number.NaN;
}

export default async function main(size: Readonly<Record<string, number>>): Promise<void> {
  const ready: number[] = [];
  const idle = IDLE_MS.map(() => ({ own: [] as number[], anonymous: [] as number[] }));
  for (let start = 0; start < (size['starts'] ?? 1); start++) {
    const node = await startQuarry();
    ready.push(node.readyMs);
    let sinceMs = 0;
    for (const [look, { own, anonymous }] of idle.entries()) {
      const untilMs = IDLE_MS[look] ?? 0;
      await sleep(untilMs - sinceMs);
      sinceMs = untilMs;
      own.push(privateMegabytes(node.pid));
      anonymous.push(anonymousMegabytes(node.pid));
    }
    await node.stop();
  }
  console.log(`ready after ${median(ready).toFixed(0)} ms (median of ${ready.length} starts)`);
  for (const [look, { own, anonymous }] of idle.entries()) {
    const [all, heap] = [own, anonymous].map((each) => median(each).toFixed(0));
    console.log(`idle for ${(IDLE_MS[look] ?? 0) / 1_000} s: private memory ${all} MB, ${heap} MB of it not of files`);
  }
}
