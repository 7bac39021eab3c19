import { afterAll, beforeAll, expect, it } from 'vitest';
import { History } from './history.js';

/** More by hand: `npm run simulate -- --histories 100000 --seed 1`. */
const HISTORIES = Number(process.env['QUARRY_HISTORIES'] ?? 1_000);
/** Of all nodes, in all orders, with all majorities that come back. */
const OUTAGES = Math.ceil(HISTORIES / 8);
/** While snapshots are made, cloned, deleted and restored. */
const SNAPSHOTS = Math.ceil(HISTORIES / 20);
const FIRST_SEED = Number(process.env['QUARRY_FIRST_SEED'] ?? 1);

/**
 * Histories with snapshots beyond the first ones that have broken an invariant: 146 had a master whose state named another, 3166 one that
 * lost its office in the pause after a run of its worker, 3383 one that went on with a snapshot whose end another one had told.
 */
const BROKEN_SNAPSHOTS = [146, 3_166, 3_383];

// Errors are part of every history; where they come from is not.
const { stackTraceLimit } = Error;
beforeAll(() => {
  Error.stackTraceLimit = 0;
});
afterAll(() => {
  Error.stackTraceLimit = stackTraceLimit;
});

it(`keeps the invariants of coordination in ${HISTORIES} histories`, async () => {
  for (let seed = FIRST_SEED; seed < FIRST_SEED + HISTORIES; seed++) await new History(seed).run();
}, 86_400_000);

it(`keeps the invariants of snapshots in ${SNAPSHOTS} histories`, async () => {
  for (let seed = FIRST_SEED; seed < FIRST_SEED + SNAPSHOTS; seed++) await new History(seed, 'snapshots').run();
}, 86_400_000);

it('keeps the invariants of snapshots in histories that have broken one', async () => {
  for (const seed of BROKEN_SNAPSHOTS) await new History(seed, 'snapshots').run();
}, 600_000);

it(`keeps the invariants of coordination in ${OUTAGES} outages`, async () => {
  for (let seed = FIRST_SEED; seed < FIRST_SEED + OUTAGES; seed++) await new History(seed, 'outage').run();
}, 86_400_000);

it('gives the same history for the same seed', async () => {
  expect(await new History(7).run()).toEqual(await new History(7).run());
});
