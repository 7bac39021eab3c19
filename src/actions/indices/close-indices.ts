/** Closes indices, but none while it is restored: its shards would never come. */
import { illegalArgument } from '../../base/errors.js';
import { restoring } from '../../cluster/snapshots/restores.js';
import type { IndexId } from '../../cluster/state.js';
import type { ActionContext } from '../context.js';

/** Throws as the reference does. */
export function checkNotRestoring(context: Pick<ActionContext, 'clusterState'>, indices: readonly IndexId[]): void {
  const { indices: all, routing } = context.clusterState();
  const open = indices.flatMap(({ name, uuid }) => {
    const index = all.get(name);
    return index?.uuid === uuid && index.state === 'open' ? [[name, index] as const] : [];
  });
  const held = restoring({ indices: new Map(open), routing });
  if (held.length === 0) return;
  const names = held.map(({ name, uuid }) => `[${name}/${uuid}]`).join(', ');
  throw illegalArgument(`Cannot close indices that are being restored: [${names}]`);
}

export async function closeIndices(
  context: ActionContext,
  indices: readonly IndexId[],
  timeoutMs: number,
): Promise<void> {
  checkNotRestoring(context, indices);
  await context.coordinator.submit('close-indices', { indices }, { timeoutMs });
}
