/**
 * `npm test`: sets up, runs the checks, the kernels' tests and the TypeScript tests, and ends with one line of totals.
 *
 * `npm test -- PATTERN` runs only the TypeScript tests whose file name contains PATTERN; with `--long`, tests that have a long form
 * take it (20 minutes more, nearly all of `cluster-processes/failures`).
 */
import { readFileSync, rmSync } from 'node:fs';
import path from 'node:path';
import { RUST_LINT, checks } from './checks.mjs';
import { crateTable } from './crates.mjs';
import { SetupError, capture, installDependencies, root, run, setUp, tool } from './lib.mjs';

const totals = { passed: 0, failed: 0, skipped: 0 };

function count(passed, failed, skipped) {
  totals.passed += passed;
  totals.failed += failed;
  totals.skipped += skipped;
}

function countCheck(name, passed) {
  console.log(`${passed ? 'ok  ' : 'FAIL'} check: ${name}`);
  count(passed ? 1 : 0, passed ? 0 : 1, 0);
}

async function runChecks(wanted) {
  for (const { name, program, args, options } of wanted) {
    const { code } = await capture(program, args, options);
    countCheck(name, code === 0);
  }
}

/**
 * How far the tested crates are optimised, with all their assertions; everything else is there from the release build. Unoptimised their tests
 * take a minute longer and their compilation two minutes less; graphs of vectors are arithmetic alone.
 */
const optLevel = (crate) => (crate === 'vectors' ? 2 : 0);
const testProfile = ['codegen-units=16', 'debug=0', 'debug-assertions=true', 'overflow-checks=true'];
/** All crates, also those without tests of their own: they are linted, and packages get the features that they were built with. */
const kernelTests = crateTable(readFileSync(path.join(root, 'ARCHITECTURE.md'), 'utf8'))
  .flat()
  .flatMap((crate) => [
    ...['-p', `quarry-${crate}`],
    ...[`opt-level=${optLevel(crate)}`, ...testProfile].flatMap((setting) => [
      '--config',
      `profile.release.package.quarry-${crate}.${setting}`,
    ]),
  ]);
/**
 * The crates are linted while their tests compile, as `cargo clippy` does it, which would take two minutes for a pass of its own. The arguments are
 * separated by the word at their end.
 */
const linting = { RUSTC_WORKSPACE_WRAPPER: 'clippy-driver', CLIPPY_ARGS: '-Dwarnings__CLIPPY_HACKERY__' };

function cargoTest(args, environment) {
  return capture('cargo', ['test', '--release', ...kernelTests, '--locked', ...args], {
    cwd: path.join(root, 'native-bindings'),
    env: { ...process.env, ...environment },
  });
}

async function runKernelTests() {
  // All targets: the add-on has no tests that would have it compiled.
  const compiled = await cargoTest(['--no-run', '--all-targets'], linting);
  const isLinted = compiled.code === 0;
  countCheck(RUST_LINT, isLinted);
  // What the linter refuses may be right all the same: then it is compiled without it.
  const { code, output } = await cargoTest(['--no-fail-fast', '--', '--quiet'], isLinted ? linting : {});
  const results = [...output.matchAll(/^test result: \w+\. (\d+) passed; (\d+) failed; (\d+) ignored/gm)];
  for (const [, passed, failed, ignored] of results) count(Number(passed), Number(failed), Number(ignored));
  // Tests that do not compile and a test process that died have no line of their own.
  if (code !== 0 && !results.some(([, , failed]) => Number(failed) > 0)) count(0, 1, 0);
}

/** The checks of TypeScript run beside the compiler, which has one processor to itself for long stretches. */
async function runAllButTypeScript() {
  installDependencies();
  const scripts = runChecks(checks.filter(({ name }) => name !== RUST_LINT));
  const { code } = await capture(process.execPath, ['src/setup/build.mjs']);
  if (code !== 0) throw new SetupError('there is nothing to test: the build failed');
  await runKernelTests();
  await scripts;
}

async function runTypeScriptTests(patterns) {
  const report = path.join(root, 'dist/.stamps/vitest.json');
  rmSync(report, { force: true });
  const { code } = await capture(tool('vitest'), [
    'run',
    '--reporter=default',
    '--reporter=json',
    `--outputFile.json=${report}`,
    ...patterns,
  ]);
  let result;
  try {
    result = JSON.parse(readFileSync(report, 'utf8'));
  } catch {
    count(0, 1, 0);
    return;
  }
  count(result.numPassedTests, result.numFailedTests, result.numPendingTests + result.numTodoTests);
  // A file that fails outside its tests, or an unhandled error, has no failed test of its own.
  if (code !== 0 && result.numFailedTests === 0) count(0, 1, 0);
}

await run(async () => {
  const isLong = process.argv.includes('--long');
  if (isLong) process.env.QUARRY_LONG = '1';
  const patterns = process.argv.slice(2).filter((argument) => argument !== '--long');
  if (patterns.length === 0) await runAllButTypeScript();
  else setUp();
  await runTypeScriptTests(patterns);
  console.log(`${totals.passed} passed, ${totals.failed} failed, ${totals.skipped} skipped`);
  process.exitCode = totals.failed === 0 && totals.passed > 0 ? 0 : 1;
});
