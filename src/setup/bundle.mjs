/**
 * The program in a few files, `dist/program/`: a thread that starts loads these instead of hundreds of modules one by one, which
 * is more than half of what a start costs. Packages are in them as well, but for those that find files of their own beside themselves.
 *
 * Everything lies in one folder two below the root, as the sources do: what they find by `import.meta.url` is found there too.
 * Names stay as they are, and maps lead from there to the sources (`store/source-places.ts`).
 */
import { copyFileSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
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

/** What each kind of thread loads before it can do anything: the front's second file is imported by the command that starts a node. */
const THREADS = {
  front: ['main', 'start'],
  'side front': ['side-front-thread'],
  coordinator: ['coordinator-thread'],
  worker: ['worker-thread'],
};

/** What is loaded together: by threads when they start, and by the first front a little later. */
const TOGETHER = {
  main: ENTRIES.main,
  worker: ENTRIES['worker-thread'],
  coordinator: ENTRIES['coordinator-thread'],
  side: ENTRIES['side-front-thread'],
  start: 'src/cli/start.ts',
  cache: 'src/node/shared-cache.ts',
  security: 'src/node/front/front-security.ts',
  audit: 'src/node/front/front-audit.ts',
  reader: 'src/node/front/near-reader.ts',
};

const UNBUNDLED = ['piscina', 'uWebSockets.js'];

/** White space and comments are for those who read the sources; each thread would read them at every start. */
const SPARE = { compress: false, mangle: false, codegen: { removeWhitespace: true } };

/**
 * One file for all modules that the same of {@link TOGETHER} load: a worker would load a hundred and fifty otherwise, each to be found, read
 * and linked. What is loaded on demand lies in files of its own. A module's imports are loaded wherever it is, so that no two of these files
 * import each other.
 */
function filesOfThreads() {
  let loads;
  const name = (moduleId, graph) => {
    if (Object.values(ENTRIES).some((entry) => path.join(root, entry) === moduleId)) return null;
    loads ??= Object.entries(TOGETHER).map(([load, entry]) => [load, reachable(path.join(root, entry), graph)]);
    const loading = loads.flatMap(([load, modules]) => (modules.has(moduleId) ? [load] : []));
    return loading.length === 0 ? null : loading.join('-');
  };
  return { includeDependenciesRecursively: false, groups: [{ name, debugName: 'loaded by the same threads' }] };
}

function reachable(entry, graph) {
  const modules = new Set([entry]);
  // What is added while the set is walked is walked as well.
  for (const id of modules) for (const next of graph.getModuleInfo(id)?.importedIds ?? []) modules.add(next);
  return modules;
}

function open() {
  return rolldown({
    cwd: root,
    input: ENTRIES,
    // A file may export to the others more than the module that it begins with.
    preserveEntrySignatures: 'allow-extension',
    platform: 'node',
    // Imports name the files that the compiler would write.
    resolve: { extensionAlias: { '.js': ['.ts', '.js'] } },
    external: [/^node:/, ...UNBUNDLED],
    onwarn: (warning) => {
      throw new Error(warning.message);
    },
  });
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

/** What each kind of thread loads when it starts: packages, files of the program, and bytes of code. Nothing is written. */
export async function loadedAtStart() {
  const program = await open();
  const { output } = await program.generate({ format: 'esm', minify: SPARE, codeSplitting: filesOfThreads() });
  await program.close();
  const chunks = new Map(output.filter(({ type }) => type === 'chunk').map((chunk) => [chunk.fileName, chunk]));
  const ofThread = (names) => {
    const files = new Set(
      [...chunks.values()].flatMap(({ name, fileName }) => (names.includes(name) ? [fileName] : [])),
    );
    // What is added while the set is walked is walked as well.
    for (const file of files) for (const next of chunks.get(file)?.imports ?? []) files.add(next);
    const own = [...files].flatMap((file) => chunks.get(file) ?? []);
    const bundled = own.flatMap(({ moduleIds }) => moduleIds.flatMap((id) => packageOf(id) ?? []));
    const others = [...files].filter((file) => UNBUNDLED.includes(file));
    const bytes = own.reduce((sum, { code }) => sum + Buffer.byteLength(code), 0);
    return { packages: [...new Set([...bundled, ...others])].sort(), files: own.length, bytes };
  };
  return Object.fromEntries(Object.entries(THREADS).map(([thread, names]) => [thread, ofThread(names)]));
}

/** The packages whose code is in the program's files. Nothing is written. */
export async function bundledPackages() {
  const program = await open();
  const { output } = await program.generate({ format: 'esm' });
  await program.close();
  const modules = output.flatMap((chunk) => chunk.moduleIds ?? []);
  return [...new Set(modules.flatMap((id) => packageOf(id) ?? []))].sort();
}

function packageOf(moduleId) {
  return /.*node_modules\/((?:@[^/]+\/)?[^/]+)\//.exec(moduleId)?.[1];
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const folder = path.join(root, 'dist/program');
  const program = await open();
  rmSync(folder, { recursive: true, force: true });
  const names = { dir: folder, chunkFileNames: '[name]-[hash].js' };
  await program.write({ ...names, format: 'esm', minify: SPARE, codeSplitting: filesOfThreads(), sourcemap: true });
  await program.close();
  await bundleConsole(path.join(folder, 'console'));
}
