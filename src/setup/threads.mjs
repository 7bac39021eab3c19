/**
 * `npm run check:threads`: tests of what several threads of the kernels share, by the thread sanitizer of LLVM. It needs a
 * nightly toolchain with the sources of the standard library: those are built for the sanitizer as well, which otherwise
 * does not see what locks order. `QUARRY_THREADS_TOOLCHAIN` names another toolchain than `nightly`. `npm test` does not run it.
 */
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import path from 'node:path';
import { SetupError, command, root, run } from './lib.mjs';

/** The sanitizer works on others too, which nobody tried. */
const TARGET = 'x86_64-unknown-linux-gnu';

/** Where threads share something: views, what is told of searches, the request cache, the translog, builds, queues of jobs. */
const CRATES = ['publication', 'base', 'engine'];
/** Frames are larger than usual. */
const STACK_BYTES = 64 * 1024 * 1024;

function requireToolchain(toolchain) {
  const install = `"rustup toolchain install ${toolchain} --component rust-src" installs it`;
  const asked = spawnSync('rustup', ['run', toolchain, 'rustc', '--print', 'sysroot'], { encoding: 'utf8' });
  if (asked.error) throw new SetupError('the thread sanitizer needs rustup, by which a nightly toolchain is found');
  if (asked.status !== 0)
    throw new SetupError(`the thread sanitizer needs the toolchain [${toolchain}], which is not there: ${install}`);
  const { stdout: version } = spawnSync('rustup', ['run', toolchain, 'rustc', '-vV'], { encoding: 'utf8' });
  if (!version.includes(`host: ${TARGET}`))
    throw new SetupError(
      `the thread sanitizer is run on ${TARGET} only, and this is ${/host: (.*)/.exec(version)?.[1]}`,
    );
  if (!existsSync(path.join(asked.stdout.trim(), 'lib/rustlib/src/rust/library/Cargo.toml'))) {
    const add = `"rustup component add rust-src --toolchain ${toolchain}" adds them`;
    throw new SetupError(`the toolchain [${toolchain}] lacks the sources of the standard library (rust-src): ${add}`);
  }
}

await run(() => {
  const toolchain = process.env.QUARRY_THREADS_TOOLCHAIN ?? 'nightly';
  requireToolchain(toolchain);
  const native = path.join(root, 'native-bindings');
  const crates = CRATES.flatMap((crate) => ['-p', `quarry-${crate}`]);
  const args = ['test', '--locked', '--lib', '-Zbuild-std', '--target', TARGET, ...crates];
  command('running tests under the thread sanitizer', 'rustup', ['run', toolchain, 'cargo', ...args], {
    cwd: native,
    env: {
      ...process.env,
      RUSTFLAGS: '-Zsanitizer=thread -Ctarget-cpu=native',
      // Beside the ordinary build, which other flags would do again.
      CARGO_TARGET_DIR: path.join(native, 'target/threads'),
      RUST_MIN_STACK: String(STACK_BYTES),
    },
  });
});
