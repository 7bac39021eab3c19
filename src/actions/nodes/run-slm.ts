/** The master has one of its workers do what snapshot lifecycle management asks for. */
import { runSlmRetention, type RunSlmRetention } from '../slm/run-retention.js';
import { followSlmRun, startSlmRunAsTask, type SlmRunName, type StartSlmRun } from '../slm/take-snapshot.js';
import { asTask } from '../tasks/as-task.js';
import { defineNodeAction } from './node-action.js';

const START_MS_MAX = 60_000;

export const startSlmRunAction = defineNodeAction(
  'start-slm-run',
  async (context, input: StartSlmRun): Promise<null> => {
    await startSlmRunAsTask(context, input, START_MS_MAX);
    return null;
  },
);

export const followSlmRunAction = defineNodeAction(
  'follow-slm-run',
  async (context, input: SlmRunName): Promise<null> => {
    await followSlmRun(context, input);
    return null;
  },
);

export const runSlmRetentionAction = defineNodeAction(
  'run-slm-retention',
  async (context, input: RunSlmRetention): Promise<null> => {
    const what = 'retention of snapshot lifecycle policies';
    await asTask(context, 'cluster:admin/slm/execute-retention', what, (own) => runSlmRetention(own, input));
    return null;
  },
);
