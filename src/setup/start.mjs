/** `npm start`: sets everything up when something changed, then runs a node in this same process. */
import { program, root, run, setUp } from './lib.mjs';

await run(async () => {
  setUp();
  const { main } = await import(`${root}/${program}`);
  await main(process.argv.slice(2));
});
