/** `quarry start`: a node in the foreground, until it is told to stop. */
import { startNode } from '../node/node.js';
import { readNodeSettings, type SettingsSources } from './settings.js';

/** Resolves when the node runs; the process ends when it is stopped by a signal. */
export async function start(sources: SettingsSources): Promise<void> {
  // A limit on the size of files is an error of the write that meets it, not the end of the node.
  process.on('SIGXFSZ', () => undefined);
  const settings = await readNodeSettings(sources);
  const started = await startNode(settings, (reason) => {
    process.stderr.write(`quarry: ${reason}\n`);
    process.exit(1);
  });
  let isStopping = false;
  const stopOnce = (): void => {
    if (isStopping) return;
    isStopping = true;
    started
      .stop((what) => {
        process.stderr.write(`quarry: the stop waits for ${what}\n`);
      })
      .then(
        () => process.exit(0),
        (error: unknown) => {
          process.stderr.write(`quarry: cannot stop cleanly: ${String(error)}\n`);
          process.exit(1);
        },
      );
  };
  process.on('SIGTERM', stopOnce);
  process.on('SIGINT', stopOnce);
  // Started by another process, as a node of a local cluster: it does not outlive that.
  process.on('disconnect', stopOnce);
  const { version, name, httpAddress } = started.node;
  if (started.openAddresses.length > 0) {
    const where = started.openAddresses.join(' and ');
    process.stderr.write(
      `quarry: WARNING: this node has no security and can be reached at ${where}: ` +
        'whoever gets there can read, change and delete everything\n',
    );
  }
  process.stdout.write(`quarry ${version} [${name}] is ready at http://${httpAddress}\n`);
}
