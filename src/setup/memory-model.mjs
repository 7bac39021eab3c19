/**
 * `npm run check:memory-model`: every history of publishing a view and taking it, by the
 * model checker `loom`, up to its bounds. What is shown stands in `native-bindings/publication/src/model.rs`.
 */
import path from 'node:path';
import { command, root, run } from './lib.mjs';

await run(() => {
  const native = path.join(root, 'native-bindings');
  const args = ['test', '--release', '--locked', '-p', 'quarry-publication', '--lib', ...process.argv.slice(2)];
  command('checking the memory model of publish and take', 'cargo', args, {
    cwd: native,
    // Beside the ordinary build, which other flags would do again.
    env: { ...process.env, RUSTFLAGS: '--cfg loom', CARGO_TARGET_DIR: path.join(native, 'target/memory-model') },
  });
});
