/**
 * What the set-up commands share. Plain JavaScript on Node's own modules: it runs before anything is installed or built.
 *
 * Each step leaves a stamp (a hash of all that it depends on) in `dist/.stamps/` and is skipped while that stamp holds, so a
 * start with nothing changed costs only the reading of file times.
 */
import { spawn, spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  readFileSync,
  readdirSync,
  renameSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { cpus } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

export const root = path.resolve(path.dirname(fileURLToPath(import.meta.url)), '../..');
/** What runs: see `bundle.mjs`. */
export const program = 'dist/program/main.js';
/** Is there where the engine's code of the program is: see `program/code-cache.mjs`. */
export const codeMark = 'dist/program/code';
const stamps = path.join(root, 'dist/.stamps');

/** A set-up failure that a person can mend: printed as one sentence, without a stack. */
export class SetupError extends Error {}

/** Runs `main` and turns its failure into a line and an exit code. */
export async function run(main) {
  try {
    await main();
  } catch (error) {
    console.error(error instanceof SetupError ? `quarry: ${error.message}` : error);
    process.exit(1);
  }
}

/** Runs a command with its output shown; throws naming `what` when it fails. */
export function command(what, program, args, options = {}) {
  const started = Date.now();
  process.stderr.write(`quarry: ${what} ...\n`);
  const result = spawnSync(program, args, { cwd: root, stdio: ['ignore', 2, 2], ...options });
  if (result.error) throw new SetupError(`${what}: cannot run ${program}: ${result.error.message}`);
  if (result.status !== 0) throw new SetupError(`${what} failed (exit code ${result.status ?? result.signal})`);
  process.stderr.write(`quarry: ${what} done in ${((Date.now() - started) / 1000).toFixed(1)} s\n`);
}

/** As `command`, but streams the output on and also returns it; never throws. */
export function capture(program, args, options = {}) {
  return new Promise((resolve) => {
    const child = spawn(program, args, { cwd: root, stdio: ['ignore', 'pipe', 'pipe'], ...options });
    let output = '';
    const take = (chunk) => {
      output += chunk;
      process.stdout.write(chunk);
    };
    child.stdout.on('data', take);
    child.stderr.on('data', take);
    child.on('error', (error) => resolve({ code: 127, output: output + error.message }));
    child.on('close', (code) => resolve({ code: code ?? 1, output }));
  });
}

/** Path of a tool that npm installed. */
export function tool(name) {
  return path.join(root, 'node_modules/.bin', name);
}

function works(program, args) {
  const result = spawnSync(program, args, { encoding: 'utf8' });
  return result.status === 0 ? result.stdout : undefined;
}

function requireToolchains() {
  // The HTTP library has binaries for these.
  if (!/^v2[0-2]\./.test(process.version)) {
    throw new SetupError(`Node.js 20, 21 or 22 is needed, this is ${process.version}: install it beside this one`);
  }
  const rust = works('cargo', ['--version']);
  if (rust === undefined)
    throw new SetupError('a Rust toolchain is needed: install cargo and rustc 1.89 or later with rustup');
  const [, minor] = /cargo 1\.(\d+)/.exec(rust) ?? [];
  if (minor !== undefined && Number(minor) < 89)
    throw new SetupError(`Rust 1.89 or later is needed, found ${rust.trim()}: run "rustup update"`);
  if (
    works(process.env.CXX ?? 'c++', ['--version']) === undefined ||
    works(process.env.CC ?? 'cc', ['--version']) === undefined
  ) {
    throw new SetupError(
      'a C and C++ compiler is needed: install gcc and g++ (on Debian: apt-get install build-essential)',
    );
  }
}

/** Names, sizes and times of all files below `folders` whose name passes `wanted`, in a fixed order. */
function fingerprint(folders, wanted) {
  const hash = createHash('sha256');
  const walk = (folder) => {
    for (const entry of readdirSync(folder, { withFileTypes: true }).sort((a, b) => (a.name < b.name ? -1 : 1))) {
      const full = path.join(folder, entry.name);
      if (entry.isDirectory()) {
        if (entry.name !== 'target' && entry.name !== 'node_modules') walk(full);
      } else if (wanted(entry.name)) {
        const { size, mtimeMs } = statSync(full);
        hash.update(`${path.relative(root, full)} ${size} ${mtimeMs}\n`);
      }
    }
  };
  for (const folder of folders) walk(path.join(root, folder));
  return hash;
}

function upToDate(name, stamp, products) {
  const file = path.join(stamps, name);
  return (
    existsSync(file) &&
    readFileSync(file, 'utf8') === stamp &&
    products.every((product) => existsSync(path.join(root, product)))
  );
}

function keepStamp(name, stamp) {
  mkdirSync(stamps, { recursive: true });
  writeFileSync(path.join(stamps, name), stamp);
}

function contentHash(...files) {
  const hash = createHash('sha256').update(process.version);
  for (const file of files) hash.update(readFileSync(path.join(root, file)));
  return hash.digest('hex');
}

export function installDependencies() {
  const stamp = contentHash('package.json', 'package-lock.json');
  if (upToDate('dependencies', stamp, ['node_modules'])) return;
  command('installing dependencies', 'npm', ['ci', '--no-audit', '--no-fund', '--loglevel=error']);
  keepStamp('dependencies', stamp);
}

/** The processor's instruction sets: native code is built for the machine it runs on, so another machine builds again. */
function processorFeatures() {
  try {
    return /^flags\s*:\s*(.*)$/m.exec(readFileSync('/proc/cpuinfo', 'utf8'))?.[1] ?? cpus()[0]?.model ?? '';
  } catch {
    return cpus()[0]?.model ?? '';
  }
}

/** `QUARRY_KERNELS=dev` builds the kernels in the profile of their tests: much slower to run, much quicker to build again. */
function kernelProfile() {
  const wanted = process.env.QUARRY_KERNELS ?? 'release';
  if (wanted === 'release') return { folder: 'release', args: ['--release'] };
  if (wanted === 'dev') return { folder: 'debug', args: [] };
  throw new SetupError(`QUARRY_KERNELS must be "release" or "dev", not "${wanted}"`);
}

function buildNative() {
  const profile = kernelProfile();
  const stamp = fingerprint(['native-bindings'], (name) => /\.(rs|toml|lock)$/.test(name))
    .update(processorFeatures())
    .update(profile.folder)
    .digest('hex');
  const product = 'dist/native/quarry.node';
  if (upToDate('native', stamp, [product])) return;
  requireToolchains();
  command(
    'building the native kernels (some minutes the first time)',
    'cargo',
    ['build', ...profile.args, '--locked', '-p', 'quarry-binding'],
    {
      cwd: path.join(root, 'native-bindings'),
    },
  );
  const library =
    { darwin: 'libquarry_binding.dylib', win32: 'quarry_binding.dll' }[process.platform] ?? 'libquarry_binding.so';
  mkdirSync(path.join(root, 'dist/native'), { recursive: true });
  // Renamed into place, so that a running node keeps the file it has mapped.
  copyFileSync(path.join(root, 'native-bindings/target', profile.folder, library), path.join(root, `${product}.new`));
  renameSync(path.join(root, `${product}.new`), path.join(root, product));
  keepStamp('native', stamp);
}

/** The sources as `dist/program/`; their types are a check's business, not a start's. */
export function bundleProgram() {
  const stamp = fingerprint(['src'], (name) => /\.(tsx?|json|css|html|svg)$/.test(name))
    .update(contentHash('src/setup/bundle.mjs', 'src/setup/program/loader.mjs', 'package-lock.json'))
    .digest('hex');
  if (upToDate('program', stamp, [program])) return;
  command('bundling the program', process.execPath, ['src/setup/bundle.mjs']);
  keepStamp('program', stamp);
}

/**
 * Keeps the code that the engine makes of the program, so that no start compiles it again; needs the kernels. Without it a start takes
 * longer, and nothing else: where no node can run, the next set-up tries again. Returns whether it is there.
 */
export function keepCode() {
  const stamp = contentHash(program, 'src/setup/program/code-cache.mjs', 'src/setup/program/record-code.cjs');
  if (upToDate('code', stamp, [codeMark])) return true;
  try {
    command('keeping the compiled program', process.execPath, ['src/setup/program/code-cache.mjs']);
    keepStamp('code', stamp);
    return true;
  } catch (error) {
    console.error(`quarry: ${error.message}: starts will take longer`);
    return false;
  }
}

/** The benches, beside the sources that they import, as `dist/bench-build/`. */
export function compileBenches() {
  const stamp = fingerprint(['src', 'bench'], (name) => /\.(ts|json)$/.test(name))
    .update(contentHash('bench.config.ts', 'tsconfig.bench.json', 'tsconfig.json', 'package-lock.json'))
    .digest('hex');
  if (upToDate('benches', stamp, ['dist/bench-build/bench.config.js'])) return;
  command('compiling the benches', process.execPath, [
    path.join(root, 'node_modules/typescript/bin/tsc'),
    '-p',
    'tsconfig.bench.json',
  ]);
  keepStamp('benches', stamp);
}

/** Brings dependencies, native code and the bundled TypeScript up to date; silent and quick when nothing changed. */
export function setUp() {
  const fresh = !existsSync(path.join(root, 'node_modules'));
  if (fresh) requireToolchains();
  installDependencies();
  buildNative();
  bundleProgram();
  keepCode();
}
