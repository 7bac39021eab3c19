/**
 * `npm run simulate [-- --seed N --histories N]`: histories of simulated clusters, of their allocation alone and then of whole
 * coordinators, from seed N on (1, and 10,000 of each, unless said otherwise); see test/simulation/README.md. The first one that
 * breaks an invariant ends its kind and is told with its seed: `-- --seed THAT --histories 1` plays it again.
 */
import { parseArgs } from 'node:util';
import { SetupError, capture, run, setUp, tool } from './lib.mjs';

const FILES = ['test/cluster/allocation/simulation.test.ts', 'test/simulation/simulation.test.ts'];

function count(name, text) {
  const value = Number(text);
  if (!Number.isSafeInteger(value) || value < 0) throw new SetupError(`--${name} must be a number and not [${text}]`);
  return String(value);
}

await run(async () => {
  const { values } = parseArgs({
    options: { seed: { type: 'string', default: '1' }, histories: { type: 'string', default: '10000' } },
  });
  process.env.QUARRY_FIRST_SEED = count('seed', values.seed);
  process.env.QUARRY_HISTORIES = count('histories', values.histories);
  setUp();
  const { code } = await capture(tool('vitest'), ['run', ...FILES, '-t', 'keeps the invariants']);
  process.exitCode = code;
});
