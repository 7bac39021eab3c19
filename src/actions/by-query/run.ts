/** A change by query as one task: in one piece, or in slices that are tasks of their own. */
import { taskId } from '../../base/tasks/task.js';
import type { ActionContext } from '../context.js';
import { broadcast } from '../indices/broadcast.js';
import { runJob, type JobControl, type JobPlan } from './job.js';
import { combine, Progress, type Outcome } from './progress.js';

export interface ByQueryWork {
  readonly action: string;
  readonly description: string;
  /** One for each slice. */
  readonly plans: readonly JobPlan[];
  /** Documents a second of all slices together; infinity: as fast as it goes. */
  readonly pace: number;
  /** What was written to is refreshed at the end. */
  readonly refresh: boolean;
}

export async function runByQuery(work: ByQueryWork, context: ActionContext): Promise<Outcome> {
  const startedMs = context.clock.monotonicMs();
  const [only, ...others] = work.plans;
  const parts = only !== undefined && others.length === 0 ? undefined : await runSlices(work, context);
  const progress = parts === undefined ? await runWhole(work, only, context) : combine(parts);
  if (work.refresh && !progress.isCancelled) await refreshWritten(progress, context);
  return { tookMs: context.clock.monotonicMs() - startedMs, progress, slices: parts };
}

async function runWhole(work: ByQueryWork, plan: JobPlan | undefined, context: ActionContext): Promise<Progress> {
  const progress = new Progress();
  const { cancellation } = context;
  const control: JobControl = {
    context,
    progress,
    isCancelled: () => cancellation.isCancelled,
    pace: () => cancellation.pace ?? work.pace,
    changed: () => {
      context.tasks.report({ description: work.description, status: progress.status(), hasPace: true });
    },
  };
  progress.pace = control.pace();
  control.changed();
  if (plan !== undefined) await runJob(plan, control);
  return progress;
}

async function runSlices(work: ByQueryWork, context: ActionContext): Promise<readonly Progress[]> {
  const progresses = work.plans.map((_, slice) => new Progress(slice));
  const changed = (): void => {
    const status = { ...combine(progresses).status(), slices: progresses.map((each) => each.status()) };
    context.tasks.report({ description: work.description, status, hasPace: true });
  };
  for (const progress of progresses) progress.pace = work.pace / progresses.length;
  changed();
  const outcomes = await Promise.allSettled(
    work.plans.map((plan, slice) => runSlice(work, plan, progresses[slice] ?? new Progress(slice), context, changed)),
  );
  const failed = outcomes.find((outcome) => outcome.status === 'rejected');
  if (failed !== undefined) throw failed.reason;
  return progresses;
}

async function runSlice(
  work: ByQueryWork,
  plan: JobPlan,
  progress: Progress,
  context: ActionContext,
  changed: () => void,
): Promise<void> {
  const { action, description, plans } = work;
  const parent = taskId(context.node.id, context.tasks.number);
  const { opaqueId } = context.tasks;
  const begun = await context.tasks.begin({
    action,
    description,
    isCancellable: true,
    parent,
    opaqueId,
    hasPace: true,
  });
  const own = begun.context;
  const share = (pace: number | undefined): number | undefined => (pace === undefined ? pace : pace / plans.length);
  try {
    await runJob(plan, {
      context: own,
      progress,
      isCancelled: () => own.cancellation.isCancelled || context.cancellation.isCancelled,
      pace: () => own.cancellation.pace ?? share(context.cancellation.pace) ?? work.pace / plans.length,
      changed: () => {
        own.tasks.report({ status: progress.status() });
        changed();
      },
    });
  } finally {
    begun.finish();
  }
}

async function refreshWritten({ written }: Progress, context: ActionContext): Promise<void> {
  const { indices } = context.clusterState();
  const open = [...written].flatMap((name) => indices.get(name) ?? []).filter(({ state }) => state === 'open');
  await broadcast(context, open, 'refresh', null);
}
