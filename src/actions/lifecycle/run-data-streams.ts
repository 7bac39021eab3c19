/** One round of the lifecycle of data streams: hands over, deletes, merges. What fails is told and tried again in the next. */
import { streamDuties, TAIL_POLICY, type StreamDuties } from '../../cluster/data-streams/data-stream-duties.js';
import { mergePolicy } from '../../cluster/settings/index-values.js';
import type { IndexId, IndexMetadata } from '../../cluster/state.js';
import type { ActionContext } from '../context.js';
import { broadcastEach } from '../indices/broadcast.js';
import { rollover } from '../indices/rollover.js';
import { asTask } from '../tasks/as-task.js';

const MASTER_TIMEOUT_MS = 30_000;

/** What takes little time: nothing waits for merges here. */
export async function runDataStreams(context: ActionContext): Promise<void> {
  for (const stream of context.clusterState().dataStreams.keys()) {
    if (dutiesOf(context, stream)?.conditions !== undefined) {
      await attempt(context, stream, 'rollover', (own) => handOver(own, stream));
    }
    for (const index of dutiesOf(context, stream)?.delete ?? []) {
      await attempt(context, stream, 'delete', (own) => ifStillDue(own, stream, 'delete', index, remove));
    }
  }
}

/** May take hours. */
export async function mergeDataStreams(context: ActionContext): Promise<void> {
  for (const stream of context.clusterState().dataStreams.keys()) {
    for (const index of dutiesOf(context, stream)?.merge ?? []) {
      await attempt(context, stream, 'merge', (own) => ifStillDue(own, stream, 'merge', index, mergeTail));
    }
  }
}

/** As the requests that do the same are listed. */
const TASK_OF = {
  rollover: 'indices:admin/rollover',
  delete: 'indices:admin/delete',
  merge: 'indices:admin/forcemerge',
} as const;

async function attempt(
  context: ActionContext,
  stream: string,
  step: keyof typeof TASK_OF,
  act: (context: ActionContext) => Promise<void>,
): Promise<void> {
  try {
    await asTask(context, TASK_OF[step], `[${step}] in the lifecycle of data stream [${stream}]`, act);
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    context.logger.log('warn', 'a step in the lifecycle of a data stream failed', { stream, step, reason });
  }
}

function dutiesOf(context: ActionContext, stream: string): StreamDuties | undefined {
  return streamDuties(context.clusterState(), stream, context.clock.nowMs());
}

/** What was due when the list was made may be so no more: a user has the stream keep its documents longer meanwhile. */
async function ifStillDue(
  context: ActionContext,
  stream: string,
  duty: 'delete' | 'merge',
  { uuid }: IndexId,
  act: (context: ActionContext, index: IndexMetadata) => Promise<void>,
): Promise<void> {
  const index = dutiesOf(context, stream)?.[duty].find((each) => each.uuid === uuid);
  if (index !== undefined) await act(context, index);
}

async function handOver(context: ActionContext, stream: string): Promise<void> {
  const conditions = dutiesOf(context, stream)?.conditions;
  if (conditions === undefined) return;
  const options = { dryRun: false, lazy: false, masterTimeoutMs: MASTER_TIMEOUT_MS, timeoutMs: 0 };
  await rollover(context, { target: stream, conditions, ...options });
}

async function remove(context: ActionContext, { name, uuid }: IndexMetadata): Promise<void> {
  const input = { indices: [{ name, uuid }] };
  await context.coordinator.submit('delete-indices', input, { timeoutMs: MASTER_TIMEOUT_MS });
}

/** The policy is kept once the merges are done: an index that has it is not merged again. */
async function mergeTail(context: ActionContext, index: IndexMetadata): Promise<void> {
  const policy = mergePolicy({ settings: new Map([...index.settings, ...Object.entries(TAIL_POLICY)]) });
  const input = { policy, maxSegments: undefined, onlyExpungeDeletes: false, flush: true };
  const { failures } = await broadcastEach(context, [index], 'force-merge', () => input);
  const [failure] = failures;
  if (failure !== undefined) throw failure.error;
  const update = { indices: [{ name: index.name, uuid: index.uuid }], settings: TAIL_POLICY };
  await context.coordinator.submit('update-index-settings', update, { timeoutMs: MASTER_TIMEOUT_MS });
}
