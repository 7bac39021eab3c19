/** The master has one of its workers do what is to be done in repositories. */
import { runSnapshots } from '../snapshots/run-snapshots.js';
import { defineNodeAction } from './node-action.js';

export const runSnapshotsAction = defineNodeAction('run-snapshots', async (context, _input: null): Promise<null> => {
  await runSnapshots(context);
  return null;
});
