/**
 * A policy of snapshot management makes a snapshot, or deletes old ones. Each step is noted in the cluster state, so that the
 * next master goes on where the last one was.
 */
import { asQuarryError } from '../../base/error-wire.js';
import { named } from '../../base/logger.js';
import { limitMs } from '../../cluster/sm/policy.js';
import type { SmPolicy, SmRun, SmWorkflowName } from '../../cluster/sm/types.js';
import type { ActionContext } from '../context.js';
import { beginCreation, goOnCreating } from './create.js';
import { beginDeletion, goOnDeleting } from './delete.js';
import type { RunEnd } from './run-of-policy.js';

export interface SmWorkflowOfPolicy {
  readonly name: string;
  readonly workflow: SmWorkflowName;
}

const NOTE_MS_MAX = 60_000;

const WORKFLOWS = {
  creation: { begin: beginCreation, goOn: goOnCreating },
  deletion: { begin: beginDeletion, goOn: goOnDeleting },
} as const;

/** Resolves when nothing is left to do now: the run has ended, or failed and waits to be tried again. */
export async function runSmWorkflow(context: ActionContext, which: SmWorkflowOfPolicy): Promise<void> {
  const { name, workflow } = which;
  const policy = context.clusterState().smPolicies.get(name);
  const times = policy?.definition[workflow];
  if (policy === undefined || times === undefined) return;
  const run = policy.workflows[workflow]?.run ?? (await begin(context, which, policy));
  if (run === undefined) return;
  const note = async (noted: RunEnd): Promise<void> => {
    await context.coordinator.submit('note-sm-run', { ...which, runId: run.id, ...noted }, { timeoutMs: NOTE_MS_MAX });
  };
  const untilMs = run.startedAtMs + limitMs(times);
  let end: RunEnd;
  try {
    end = await WORKFLOWS[workflow].goOn(context, { name, policy, run, untilMs, note });
  } catch (error) {
    end = { status: 'RETRYING', ...failureOf(context, which, error) };
  }
  await note(end);
}

/** A time at which nobody can tell what is to be done is passed over. */
async function begin(context: ActionContext, which: SmWorkflowOfPolicy, policy: SmPolicy): Promise<SmRun | undefined> {
  let snapshots: SmRun['snapshots'] = [];
  let failure: ReturnType<typeof failureOf> | undefined;
  try {
    snapshots = await WORKFLOWS[which.workflow].begin(context, which.name, policy);
  } catch (error) {
    failure = failureOf(context, which, error);
  }
  const input = { ...which, snapshots, ...(failure === undefined ? {} : { failure }) };
  const { run } = await context.coordinator.submit('begin-sm-run', input, { timeoutMs: NOTE_MS_MAX });
  return run;
}

function failureOf(
  context: ActionContext,
  { name, workflow }: SmWorkflowOfPolicy,
  error: unknown,
): { readonly message: string; readonly cause: string } {
  context.cancellation.throwIfCancelled();
  const { message: cause } = asQuarryError(error);
  named(context.logger, 'slm').log('warn', 'snapshot management failed', { policy: name, workflow, reason: cause });
  return { message: `Caught exception during the ${workflow} of snapshots.`, cause };
}
