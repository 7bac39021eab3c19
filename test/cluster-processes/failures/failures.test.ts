/**
 * Real nodes under load while processes are killed and stopped, links severed, disks filled, and nodes come and go. After each round every
 * acknowledged document is there exactly once with its last acknowledged value, on every copy.
 *
 * A short form by default; QUARRY_LONG=1 (`npm test -- --long`) makes each run ten minutes. A failed schedule is repeated with
 * QUARRY_FAILURES_SEED; QUARRY_KEEP_CLUSTER=1 keeps directories and logs.
 */
import { expect, test } from 'vitest';
import { survive, type Run } from './survive.js';

const IS_LONG = process.env['QUARRY_LONG'] === '1';
const SEED = Number(process.env['QUARRY_FAILURES_SEED'] ?? 1);
const SECONDS = Number(process.env['QUARRY_FAILURES_SECONDS'] ?? (IS_LONG ? 600 : 0));
/** For the start, the last round, and all that takes its time on a busy machine. */
const MORE_SECONDS = 300;

const RUNS: readonly Run[] = IS_LONG
  ? [3, 5].map((nodes) => run(nodes, 1, { faults: 5, lengthMs: 18_000 }))
  : [run(3, 5, { faults: 3, lengthMs: 5_000 }), run(5, 2, { faults: 4, lengthMs: 6_000 })];

function run(nodes: number, rounds: number, round: Run['round']): Run {
  return { nodes, seed: SEED + nodes, seconds: SECONDS, rounds, round, clients: 4 };
}

test.each(RUNS)('$nodes nodes lose nothing', { timeout: (SECONDS + MORE_SECONDS) * 1_000 }, async (each) => {
  const survived = await survive(each);
  console.log(`${each.nodes} nodes, seed ${each.seed}: ${JSON.stringify(survived)}`);
  expect(survived.acknowledged).toBeGreaterThan(0);
});
