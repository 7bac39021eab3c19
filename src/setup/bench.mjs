/**
 * `npm run bench [-- NAME [--full] [-- arguments]]`: lists the bench suites of bench.config.ts, or runs one.
 *
 * Suites are TypeScript; they are compiled to dist/bench beside the node's own code and import that.
 */
import { SetupError, compileBenches, root, run, setUp } from './lib.mjs';

await run(async () => {
  setUp();
  compileBenches();
  const { suites } = await import(`${root}/dist/bench-build/bench.config.js`);
  const [name, ...rest] = process.argv.slice(2);
  if (name === undefined) {
    for (const [known, { about }] of Object.entries(suites)) console.log(`${known.padEnd(24)} ${about}`);
    return;
  }
  const suite = suites[name];
  if (suite === undefined) throw new SetupError(`no bench suite [${name}]: one of ${Object.keys(suites).join(', ')}`);
  const full = rest.includes('--full');
  const { default: main } = await import(`${root}/dist/bench-build/bench/${suite.file.replace(/\.ts$/, '.js')}`);
  await main(
    full ? suite.full : suite.small,
    rest.filter((argument) => argument !== '--full'),
  );
});
