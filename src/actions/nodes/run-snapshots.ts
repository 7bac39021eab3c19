/** The master has one of its workers do what is to be done in repositories. */
import { defineNodeAction } from './node-action.js';

export const runSnapshotsAction = defineNodeAction('run-snapshots', async (context, _input: null): Promise<null> => {
  // Loaded when there is something to be done.
  const { runSnapshots } = await import('../snapshots/run-snapshots.js');
  await runSnapshots(context);
  return null;
});
