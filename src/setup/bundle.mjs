/**
 * The program in a few files, `dist/program/`: a thread that starts loads these instead of hundreds of modules one by one, which
 * is more than half of what a start costs. Packages are in them as well, but for those that find files of their own beside themselves.
 *
 * Each kind of thread has a folder of its own, with what it may load, so that what it begins with is one scope in one file. A script finds
 * what it looks for by `import.meta.url` as if it lay in `dist/program/` itself, two below the root, as the sources do. Names stay as they
 * are, and maps lead from there to the sources (`store/source-places.ts`).
 */
import { chmodSync, copyFileSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { rolldown } from 'rolldown';

const root = fileURLToPath(new URL('../..', import.meta.url));

/** Where each kind of thread begins, under the names by which `node/node-threads.ts` starts them. */
const ENTRIES = {
  main: 'src/cli/main.ts',
  'worker-thread': 'src/node/worker/worker-thread.ts',
  'coordinator-thread': 'src/node/coordinator/coordinator-thread.ts',
  'side-front-thread': 'src/node/front/side-front-thread.ts',
};

/** What fronts import a little later, each with all that it imports in one file. */
const FRONTS_LATER = [
  'src/node/front/front-security.ts',
  'src/node/front/front-audit.ts',
  'src/node/front/near-reader.ts',
];
const LATER = {
  main: ['src/cli/start.ts', 'src/node/shared-cache.ts', ...FRONTS_LATER],
  'side-front-thread': FRONTS_LATER,
};

const UNBUNDLED = ['piscina', 'uWebSockets.js'];

/** White space and comments are for those who read the sources; each thread would read them at every start. */
const SPARE = { compress: false, mangle: false, codegen: { removeWhitespace: true } };

/** Scripts, since the engine takes code that it made before of no modules: see `program/loader.mjs`. */
const scripts = (kind) => ({
  format: 'cjs',
  exports: 'named',
  // As modules are.
  strict: true,
  // A file is one expression, a function of what the loader gives it.
  banner: '(function (exports, require, module, __filename, __dirname, obtain) {',
  footer: '})',
  minify: SPARE,
  entryFileNames: 'entry-of-[name].[hash].cjs',
  chunkFileNames: '[name]-[hash].cjs',
  codeSplitting: filesOf(kind),
});

/** Of a package or a module of Node; files of the program are required. Names of methods are something else. */
const IMPORT_ON_DEMAND = /(?<![.\w$])import\((?=["'`])/g;

/**
 * One file for all that a thread loads when it starts but the module by which it begins, and for each of what it loads {@link LATER}.
 * A thread would have a hundred and fifty files to find, read and link otherwise. What is loaded on demand lies in files of its own.
 */
function filesOf(kind) {
  const entry = path.join(root, ENTRIES[kind]);
  let loads;
  const name = (moduleId, graph) => {
    if (moduleId === entry) return null;
    loads ??= [entry, ...(LATER[kind] ?? []).map((each) => path.join(root, each))].map((each) => [
      path.basename(each, '.ts'),
      reachable(each, graph),
    ]);
    return loads.find(([, modules]) => modules.has(moduleId))?.[0] ?? null;
  };
  return { includeDependenciesRecursively: false, groups: [{ name, debugName: 'loaded together' }] };
}

function reachable(entry, graph) {
  const modules = new Set([entry]);
  // What is added while the set is walked is walked as well.
  for (const id of modules) for (const next of graph.getModuleInfo(id)?.importedIds ?? []) modules.add(next);
  return modules;
}

function open(kind) {
  return rolldown({
    cwd: root,
    input: { [kind]: ENTRIES[kind] },
    // A file may export to the others more than the module that it begins with.
    preserveEntrySignatures: 'allow-extension',
    platform: 'node',
    // Imports name the files that the compiler would write.
    resolve: { extensionAlias: { '.js': ['.ts', '.js'] } },
    external: [/^node:/, ...UNBUNDLED],
    onwarn: (warning) => {
      // What one kind of thread loads on demand, another may need when it starts.
      if (warning.code !== 'INEFFECTIVE_DYNAMIC_IMPORT') throw new Error(warning.message);
    },
  });
}

/** For each kind of thread a folder of scripts with their maps, and a module by which it begins; and `loader.js`, which loads scripts. */
async function bundleProgram(folder) {
  await Promise.all(Object.keys(ENTRIES).map((kind) => bundleThread(folder, kind)));
  chmodSync(path.join(folder, 'main.js'), 0o755);
  copyFileSync(path.join(root, 'src/setup/program/loader.mjs'), path.join(folder, 'loader.js'));
}

async function bundleThread(folder, kind) {
  const program = await open(kind);
  const place = path.join(folder, kind);
  const { output } = await program.write({
    ...scripts(kind),
    dir: place,
    sourcemap: true,
    sourcemapExcludeSources: true,
  });
  await program.close();
  for (const { fileName, code, isEntry, exports } of output.filter(({ type }) => type === 'chunk')) {
    // As long as the word that it stands for, so that the map still holds.
    writeFileSync(path.join(place, fileName), code.replaceAll(IMPORT_ON_DEMAND, 'obtain('));
    if (isEntry) writeFileSync(path.join(folder, `${kind}.js`), beginning(kind, fileName, exports));
  }
}

function beginning(kind, fileName, exports) {
  const lines = [
    ...(kind === 'main' ? ['#!/usr/bin/env node'] : []),
    "import { load } from './loader.js';",
    `const program = load('${kind}', '${fileName}');`,
    ...exports.map((each) => `export ${each === 'default' ? 'default' : `const ${each} =`} program.${each};`),
  ];
  return `${lines.join('\n')}\n`;
}

/** What browsers load from `/_console/`: one script, one style sheet, a page. */
const CONSOLE = 'src/console';
const CONSOLE_STYLES = ['tokens', 'base', 'frame', 'widgets', 'pages'];

async function bundleConsole(folder) {
  const script = await rolldown({
    cwd: root,
    input: { console: `${CONSOLE}/main.tsx` },
    platform: 'browser',
    tsconfig: path.join(root, 'tsconfig.console.json'),
    resolve: { extensionAlias: { '.js': ['.tsx', '.ts', '.js'] } },
    transform: { define: { 'process.env.NODE_ENV': '"production"' } },
    onwarn: (warning) => {
      throw new Error(warning.message);
    },
  });
  await script.write({ dir: folder, format: 'esm', minify: true });
  await script.close();
  const styles = [
    'node_modules/uplot/dist/uPlot.min.css',
    ...CONSOLE_STYLES.map((name) => `${CONSOLE}/styles/${name}.css`),
  ];
  writeFileSync(path.join(folder, 'console.css'), styles.map((name) => readFileSync(path.join(root, name))).join('\n'));
  // The licences of what is inside want to be handed on with it.
  const licences = ['preact', 'uplot'].map((name) => {
    return `${name}\n\n${readFileSync(path.join(root, 'node_modules', name, 'LICENSE'), 'utf8')}`;
  });
  writeFileSync(path.join(folder, 'licences.txt'), licences.join('\n\n'));
  for (const name of ['index.html', 'icon.svg']) {
    copyFileSync(path.join(root, CONSOLE, name), path.join(folder, name));
  }
}

/** What each kind of thread loads when it starts: packages, files of the program, and bytes of code without what binds files to each other. */
export async function loadedAtStart() {
  const [main, side, coordinator, worker] = await Promise.all(
    ['main', 'side-front-thread', 'coordinator-thread', 'worker-thread'].map(generate),
  );
  return {
    front: loaded(main, ['main', 'start']),
    'side front': loaded(side, ['side-front-thread']),
    coordinator: loaded(coordinator, ['coordinator-thread']),
    worker: loaded(worker, ['worker-thread']),
  };
}

/** What is loaded with files of these names. */
function loaded(chunks, names) {
  const byFile = new Map(chunks.map((chunk) => [chunk.fileName, chunk]));
  const files = new Set(chunks.flatMap(({ name, fileName }) => (names.includes(name) ? [fileName] : [])));
  // What is added while the set is walked is walked as well.
  for (const file of files) for (const next of byFile.get(file)?.imports ?? []) files.add(next);
  const own = [...files].flatMap((file) => byFile.get(file) ?? []);
  const bundled = own.flatMap(({ moduleIds }) => moduleIds.flatMap((id) => packageOf(id) ?? []));
  const others = [...files].filter((file) => UNBUNDLED.includes(file));
  const bytes = own.reduce((sum, { code }) => sum + Buffer.byteLength(code), 0);
  return { packages: [...new Set([...bundled, ...others])].sort(), files: own.length, bytes };
}

async function generate(kind) {
  const program = await open(kind);
  const { output } = await program.generate({ ...scripts(kind), format: 'esm', banner: '', footer: '' });
  await program.close();
  return output.filter(({ type }) => type === 'chunk');
}

/** The packages whose code is in the program's files. Nothing is written. */
export async function bundledPackages() {
  const chunks = (await Promise.all(Object.keys(ENTRIES).map(generate))).flat();
  const modules = chunks.flatMap(({ moduleIds }) => moduleIds);
  return [...new Set(modules.flatMap((id) => packageOf(id) ?? []))].sort();
}

function packageOf(moduleId) {
  return /.*node_modules\/((?:@[^/]+\/)?[^/]+)\//.exec(moduleId)?.[1];
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const folder = path.join(root, 'dist/program');
  rmSync(folder, { recursive: true, force: true });
  await bundleProgram(folder);
  await bundleConsole(path.join(folder, 'console'));
}
