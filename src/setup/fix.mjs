/** `npm run fix`: mends what can be mended by machine: formatting, lint fixes, generated accessors. */
import path from 'node:path';
import { command, root, run, setUp, tool } from './lib.mjs';

await run(() => {
  setUp();
  command('generated accessors', process.execPath, ['src/setup/generate-schemas.mjs']);
  command('prettier', tool('prettier'), ['--write', '--log-level', 'warn', '.']);
  command('eslint', tool('eslint'), ['.', '--fix']);
  command('cargo fmt', 'cargo', ['fmt', '--all'], { cwd: path.join(root, 'native-bindings') });
});
