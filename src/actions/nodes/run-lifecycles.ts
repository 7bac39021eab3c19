/** The master has one of its workers carry out what lifecycles ask for. */
import { mergeDataStreams, runDataStreams } from '../lifecycle/run-data-streams.js';
import { runPolicies } from '../lifecycle/run-policies.js';
import { defineNodeAction } from './node-action.js';

export const runLifecycles = defineNodeAction('run-lifecycles', async (context, _input: null): Promise<null> => {
  await runDataStreams(context);
  await runPolicies(context);
  await mergeDataStreams(context);
  return null;
});
