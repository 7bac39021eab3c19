/**
 * `npm run experiment [-- NAME [options]]`: sweeps over capacity, merging and scaling, and what is done with their results; `--help`
 * lists them, docs/experiments.md explains them.
 *
 * They are TypeScript, compiled as the benches are.
 */
import { compileBenches, root, run, setUp } from './lib.mjs';

await run(async () => {
  setUp();
  compileBenches();
  const { default: main } = await import(`${root}/dist/bench-build/bench/experiments/main.js`);
  await main(process.argv.slice(2));
});
