import { expect, it } from 'vitest';
import { Simulation } from './simulation.js';

/** More by hand: `QUARRY_HISTORIES=100000 QUARRY_FIRST_SEED=1 npx vitest run test/cluster/allocation/simulation`. */
const HISTORIES = Number(process.env['QUARRY_HISTORIES'] ?? 1_000);
const FIRST_SEED = Number(process.env['QUARRY_FIRST_SEED'] ?? 1);
const STEPS = 30;

it(`keeps the invariants of allocation in ${HISTORIES} histories`, () => {
  for (let seed = FIRST_SEED; seed < FIRST_SEED + HISTORIES; seed++) new Simulation(seed).run(STEPS);
}, 600_000);

it('gives the same history for the same seed', () => {
  const [one, other] = [new Simulation(7), new Simulation(7)];
  one.run(STEPS);
  other.run(STEPS);
  expect(other.cluster.state).toEqual(one.cluster.state);
});
