/**
 * `npm run package`: a tarball that `npm install -g` takes on a machine without compilers. It has the bundled program, the
 * packages that it needs, and kernels for several kinds of processors, of which a node loads the best that it can.
 *
 * `npm run package -- --as-built` packs the kernels that lie in `dist/native/`, which run on processors like this one.
 */
import { cpSync, mkdirSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { SetupError, bundleProgram, command, keepCode, root, run, setUp } from './lib.mjs';
import { copyDependencies } from './package/dependencies.mjs';
import { levels } from './package/levels.mjs';
import { licencesOfCrates, licencesOfPackages } from './package/licences.mjs';

const TARGET = 'x86_64-unknown-linux-gnu';
const folder = path.join(root, 'dist/package');
const staged = path.join(folder, 'quarry');
const natives = path.join(staged, 'dist/native');

/** What a user reads, and the program. */
const COPIED = ['LICENSE', 'README.md', 'CHANGELOG.md', 'docs', 'config/quarry.yml', 'packaging', 'dist/program'];

await run(async () => {
  const asBuilt = process.argv.includes('--as-built');
  if (process.platform !== 'linux' || process.arch !== 'x64') {
    throw new SetupError('packages are made on Linux with an x86-64 processor, and for such machines');
  }
  if (asBuilt) bundleProgram();
  else setUp();
  if (!keepCode()) throw new SetupError('a package has the compiled program, which needs a node that starts');
  // Needs what the set-up installs.
  const { bundledPackages } = await import('./bundle.mjs');
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(natives, { recursive: true });
  for (const name of COPIED) cpSync(path.join(root, name), path.join(staged, name), { recursive: true });
  if (asBuilt) strip(path.join(root, 'dist/native/quarry.node'), 'quarry.node');
  else buildLevels();
  writeFileSync(path.join(staged, 'LICENSES-OF-CRATES.txt'), licencesOfCrates(TARGET));
  const inside = await bundledPackages();
  writeFileSync(path.join(staged, 'LICENSES-OF-PACKAGES.txt'), licencesOfPackages(inside));
  const dependencies = copyDependencies(staged, inside);
  writeFileSync(path.join(staged, 'package.json'), `${JSON.stringify(manifest(dependencies), null, 2)}\n`);
  command('packing', 'npm', ['pack', '--silent', '--ignore-scripts', '--pack-destination', folder], { cwd: staged });
  rmSync(staged, { recursive: true });
  const [tarball] = readdirSync(folder);
  console.log(path.join('dist/package', tarball));
});

function buildLevels() {
  const target = path.join(root, 'native-bindings/target/package');
  for (const { file, rustFlags } of levels) {
    const args = ['build', '--release', '--locked', '-p', 'quarry-binding', '--target', TARGET, '--target-dir', target];
    const env = { ...process.env, RUSTFLAGS: rustFlags, CARGO_INCREMENTAL: '0' };
    command(`building ${file}`, 'cargo', args, { cwd: path.join(root, 'native-bindings'), env });
    strip(path.join(target, TARGET, 'release/libquarry_binding.so'), file);
  }
  const list = levels.map(({ file, flags }) => ({ file, flags }));
  writeFileSync(path.join(natives, 'levels.json'), JSON.stringify(list));
}

/** Names of functions and lines of the sources are six sevenths of an add-on. */
function strip(library, file) {
  command(`stripping ${file}`, 'strip', ['-o', path.join(natives, file), library]);
}

function manifest(dependencies) {
  const own = JSON.parse(readFileSync(path.join(root, 'package.json'), 'utf8'));
  const { name, version, description, license, type, engines, bin } = own;
  const machine = { os: ['linux'], cpu: ['x64'], libc: ['glibc'] };
  return {
    name,
    version,
    description,
    license,
    type,
    engines,
    ...machine,
    bin,
    dependencies,
    bundleDependencies: true,
  };
}
