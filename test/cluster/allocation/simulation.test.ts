import { expect, it } from 'vitest';
import { Simulation } from './simulation.js';

/** More by hand: `npm run simulate -- --histories 100000 --seed 1`. */
const HISTORIES = Number(process.env['QUARRY_HISTORIES'] ?? 1_000);
const FIRST_SEED = Number(process.env['QUARRY_FIRST_SEED'] ?? 1);
const STEPS = 30;

it(`keeps the invariants of allocation in ${HISTORIES} histories`, () => {
  for (let seed = FIRST_SEED; seed < FIRST_SEED + HISTORIES; seed++) new Simulation(seed).run(STEPS);
}, 86_400_000);

it('gives the same history for the same seed', () => {
  const [one, other] = [new Simulation(7), new Simulation(7)];
  one.run(STEPS);
  other.run(STEPS);
  expect(other.cluster.state).toEqual(one.cluster.state);
});
