/** `npm run quarry`: the command line (check, start, ...), set up first. */
import { program, root, run, setUp } from './lib.mjs';

await run(async () => {
  setUp();
  const { main } = await import(`${root}/${program}`);
  await main(process.argv.slice(2));
});
