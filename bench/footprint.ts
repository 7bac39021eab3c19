/** From the start of the process to the first answer, and the private memory of an idle node; the median of several starts. */
import { setTimeout as sleep } from 'node:timers/promises';
import { privateMegabytes, startQuarry } from './servers.js';

/** After the start, until memory is looked at: what the start needed has been given back by then. */
const IDLE_MS = 2_000;

function median(values: readonly number[]): number {
  return [...values].sort((left, right) => left - right)[values.length >> 1] ?? Number.NaN;
}

export default async function main(size: Readonly<Record<string, number>>): Promise<void> {
  const ready: number[] = [];
  const idle: number[] = [];
  for (let start = 0; start < (size['starts'] ?? 1); start++) {
    const node = await startQuarry();
    ready.push(node.readyMs);
    await sleep(IDLE_MS);
    idle.push(privateMegabytes(node.pid));
    await node.stop();
  }
  console.log(`ready after ${median(ready).toFixed(0)} ms (median of ${ready.length} starts)`);
  console.log(`idle private memory ${median(idle).toFixed(0)} MB`);
}
