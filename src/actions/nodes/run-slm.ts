/**
 * The master has one of its workers do what snapshot lifecycle management asks for, and OpenSearch's snapshot management.
 * Most workers never do: the code is loaded by the first who does.
 */
import type { RunSlmRetention } from '../slm/run-retention.js';
import type { SlmRunName, StartSlmRun } from '../slm/take-snapshot.js';
import type { SmWorkflowOfPolicy } from '../sm/run-workflow.js';
import { asTask } from '../tasks/as-task.js';
import { defineNodeAction } from './node-action.js';

const START_MS_MAX = 60_000;

export const startSlmRunAction = defineNodeAction(
  'start-slm-run',
  async (context, input: StartSlmRun): Promise<null> => {
    const { startSlmRunAsTask } = await import('../slm/take-snapshot.js');
    await startSlmRunAsTask(context, input, START_MS_MAX);
    return null;
  },
);

export const followSlmRunAction = defineNodeAction(
  'follow-slm-run',
  async (context, input: SlmRunName): Promise<null> => {
    const { followSlmRun } = await import('../slm/take-snapshot.js');
    await followSlmRun(context, input);
    return null;
  },
);

export const runSlmRetentionAction = defineNodeAction(
  'run-slm-retention',
  async (context, input: RunSlmRetention): Promise<null> => {
    const { runSlmRetention } = await import('../slm/run-retention.js');
    const what = 'retention of snapshot lifecycle policies';
    await asTask(context, 'cluster:admin/slm/execute-retention', what, (own) => runSlmRetention(own, input));
    return null;
  },
);

export const runSmWorkflowAction = defineNodeAction(
  'run-sm-workflow',
  async (context, input: SmWorkflowOfPolicy): Promise<null> => {
    const { runSmWorkflow } = await import('../sm/run-workflow.js');
    const what = `${input.workflow} of snapshot management policy [${input.name}]`;
    await asTask(context, 'cluster:admin/opensearch/snapshot_management/run', what, (own) => runSmWorkflow(own, input));
    return null;
  },
);
