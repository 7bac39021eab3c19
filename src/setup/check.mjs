/** `npm run check`: every check, all of them even after a failure. Never writes to the tree. */
import { checks } from './checks.mjs';
import { SetupError, capture, run, setUp } from './lib.mjs';

await run(async () => {
  setUp();
  const failed = [];
  for (const { name, program, args, options } of checks) {
    const started = Date.now();
    const { code } = await capture(program, args, options);
    console.log(`${code === 0 ? 'ok  ' : 'FAIL'} ${name} (${((Date.now() - started) / 1000).toFixed(1)} s)`);
    if (code !== 0) failed.push(name);
  }
  if (failed.length > 0)
    throw new SetupError(`${failed.length} checks failed: ${failed.join(', ')} ("npm run fix" mends formatting)`);
});
