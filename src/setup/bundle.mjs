/**
 * The program in a few files, `dist/program/`: a thread that starts loads these instead of hundreds of modules one by one, which
 * is more than half of what a start costs. Packages stay outside; their licences and native parts are theirs.
 *
 * Everything lies in one folder two below the root, as the sources do: what they find by `import.meta.url` is found there too.
 */
import { rmSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { rolldown } from 'rolldown';

const root = fileURLToPath(new URL('../..', import.meta.url));
const folder = path.join(root, 'dist/program');

const program = await rolldown({
  cwd: root,
  // One for each kind of thread, under the names by which `node/node.ts` starts them.
  input: {
    main: 'src/cli/main.ts',
    'worker-thread': 'src/node/worker-thread.ts',
    'coordinator-thread': 'src/node/coordinator-thread.ts',
  },
  platform: 'node',
  // Imports name the files that the compiler would write.
  resolve: { extensionAlias: { '.js': ['.ts', '.js'] } },
  external: (id) => !id.startsWith('.') && !path.isAbsolute(id),
  onwarn: (warning) => {
    throw new Error(warning.message);
  },
});
rmSync(folder, { recursive: true, force: true });
await program.write({ dir: folder, format: 'esm', chunkFileNames: '[name]-[hash].js', sourcemap: true });
