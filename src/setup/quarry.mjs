/** `npm run quarry`: the command line (check, start, ...), set up first. */
import { root, run, setUp } from './lib.mjs';

await run(async () => {
  setUp();
  const { main } = await import(`${root}/dist/cli/main.js`);
  await main(process.argv.slice(2));
});
