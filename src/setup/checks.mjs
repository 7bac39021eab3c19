/** The checks that fail the build, each one command that says by itself what is wrong. None of them writes to the tree. */
import path from 'node:path';
import { root, tool } from './lib.mjs';

const native = { cwd: path.join(root, 'native-bindings') };

/** The one that `npm test` makes while it compiles the kernels' tests. */
export const RUST_LINT = 'rust lint';

export const checks = [
  { name: 'types', program: tool('tsc'), args: ['-p', 'tsconfig.test.json'] },
  { name: 'types of the console', program: tool('tsc'), args: ['-p', 'tsconfig.console.json'] },
  { name: 'lint', program: tool('eslint'), args: ['.', '--max-warnings', '0'] },
  { name: 'formatting', program: tool('prettier'), args: ['--check', '--log-level', 'warn', '.'] },
  {
    name: 'import direction of the rooms',
    program: tool('depcruise'),
    args: ['--config', '.dependency-cruiser.cjs', '--output-type', 'err', 'src'],
  },
  { name: 'import direction of the crates', program: process.execPath, args: ['src/setup/crates.mjs'] },
  { name: 'memory model of publish and take', program: process.execPath, args: ['src/setup/memory-model.mjs'] },
  { name: 'unused files, exports and dependencies', program: tool('knip'), args: ['--no-progress'] },
  { name: 'generated accessors', program: process.execPath, args: ['src/setup/generate-schemas.mjs', '--check'] },
  { name: 'rust formatting', program: 'cargo', args: ['fmt', '--all', '--check'], options: native },
  {
    name: RUST_LINT,
    program: 'cargo',
    // In the release profile, whose build scripts and macros are compiled already.
    args: ['clippy', '-q', '--release', '--locked', '--all-targets', '--', '-D', 'warnings'],
    options: native,
  },
];
