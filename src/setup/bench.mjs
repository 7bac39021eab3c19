/**
 * `npm run bench [-- NAME [--full] [MEMBER=VALUE ...]]`: lists the bench suites of bench.config.ts, or runs one, with other values
 * for members of its size and for texts that it takes.
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
  const { size, texts } = readArguments(suite, rest);
  const { default: main } = await import(`${root}/dist/bench-build/bench/${suite.file.replace(/\.ts$/, '.js')}`);
  await main(size, texts);
});

function readArguments(suite, words) {
  const size = { ...(words.includes('--full') ? suite.full : suite.small) };
  const texts = {};
  for (const word of words) {
    if (word === '--full') continue;
    const [, member, value] = /^([^=]+)=(.+)$/.exec(word) ?? [];
    if (member !== undefined && Object.hasOwn(size, member)) {
      size[member] = Number(value);
      if (!Number.isFinite(size[member])) throw new SetupError(`[${member}] of a bench is a number, not [${value}]`);
    } else if (member !== undefined && Object.hasOwn(suite.texts ?? {}, member)) {
      texts[member] = value;
    } else {
      const known = [...Object.keys(size), ...Object.keys(suite.texts ?? {})].map((name) => `${name}=...`);
      throw new SetupError(`a bench does not take [${word}]: one of --full, ${known.join(', ')}`);
    }
  }
  return { size, texts };
}
