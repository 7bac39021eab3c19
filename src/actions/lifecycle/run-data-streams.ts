/** One round of the lifecycle of data streams: hands over, merges, deletes. What fails is told and tried again in the next. */
import { streamDuties, TAIL_POLICY, type StreamDuties } from '../../cluster/data-stream-duties.js';
import { mergePolicy } from '../../cluster/settings/index-values.js';
import type { IndexMetadata } from '../../cluster/state.js';
import type { ActionContext } from '../context.js';
import { broadcastEach } from '../indices/broadcast.js';
import { rollover } from '../indices/rollover.js';

const MASTER_TIMEOUT_MS = 30_000;

export interface LifecycleRound {
  readonly rolledOver: number;
  readonly merged: number;
  readonly deleted: number;
  readonly failed: number;
}

export async function runDataStreams(context: ActionContext): Promise<LifecycleRound> {
  const count = { rolledOver: 0, merged: 0, deleted: 0, failed: 0 };
  const attempt = async (stream: string, what: keyof LifecycleRound, act: () => Promise<boolean>): Promise<void> => {
    try {
      if (await act()) count[what]++;
    } catch (error) {
      count.failed++;
      const reason = error instanceof Error ? error.message : String(error);
      context.logger.log('warn', 'a step in the lifecycle of a data stream failed', { stream, step: what, reason });
    }
  };
  for (const duties of streamDuties(context.clusterState(), context.clock.nowMs())) {
    await attempt(duties.stream, 'rolledOver', () => handOver(context, duties));
    for (const index of duties.delete) await attempt(duties.stream, 'deleted', () => remove(context, index));
    for (const index of duties.merge) await attempt(duties.stream, 'merged', () => mergeTail(context, index));
  }
  return count;
}

async function handOver(context: ActionContext, { stream, conditions }: StreamDuties): Promise<boolean> {
  const options = { dryRun: false, lazy: false, masterTimeoutMs: MASTER_TIMEOUT_MS, timeoutMs: 0 };
  return (await rollover(context, { target: stream, conditions, ...options })).rolledOver;
}

async function remove(context: ActionContext, { name, uuid }: IndexMetadata): Promise<boolean> {
  const input = { indices: [{ name, uuid }] };
  await context.coordinator.submit('delete-indices', input, { timeoutMs: MASTER_TIMEOUT_MS });
  return true;
}

/** The policy is kept once the merges are done: an index that has it is not merged again. */
async function mergeTail(context: ActionContext, index: IndexMetadata): Promise<boolean> {
  const policy = mergePolicy({ settings: new Map([...index.settings, ...Object.entries(TAIL_POLICY)]) });
  const input = { policy, maxSegments: undefined, onlyExpungeDeletes: false, flush: true };
  const { failures } = await broadcastEach(context, [index], 'force-merge', () => input);
  const [failure] = failures;
  if (failure !== undefined) throw failure.error;
  const update = { indices: [{ name: index.name, uuid: index.uuid }], settings: TAIL_POLICY };
  await context.coordinator.submit('update-index-settings', update, { timeoutMs: MASTER_TIMEOUT_MS });
  return true;
}
