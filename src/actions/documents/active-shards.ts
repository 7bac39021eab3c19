/** Waiting for copies of shards to be usable. */
import { QuarryError } from '../../base/errors.js';
import { formatTime } from '../../base/units.js';
import { indexSetting } from '../../cluster/settings/index-values.js';
import { hasActivePrimary, isActive } from '../../cluster/copies/shard-copies.js';
import type { ClusterState, IndexId, IndexMetadata } from '../../cluster/state.js';
import type { ActionContext } from '../context.js';
import type { ShardKey } from '../shard-client.js';

export type ActiveShards = 'all' | number;

/** Resolves when the primaries of the index take writes, or when the time is over. */
export async function whenPrimariesStarted(context: ActionContext, index: IndexId, timeoutMs: number): Promise<void> {
  await context.whenState((state) => {
    const routing = state.routing.get(index.name);
    if (routing?.index.uuid !== index.uuid) return true;
    return routing.shards.every(hasActivePrimary);
  }, timeoutMs);
}

export interface CopiesWait {
  /** How long to wait from now on; `timeoutMs` is what the request allowed in all. */
  readonly leftMs: number;
  readonly timeoutMs: number;
  /** As errors name it. */
  readonly request: string;
}

/**
 * Waits until as many copies of the shard are active as the write asks for; refuses it when they do not come. Resolves for
 * an index that is gone.
 */
export async function requireActiveCopies(
  context: ActionContext,
  index: IndexMetadata,
  shard: ShardKey,
  asked: ActiveShards | undefined,
  { leftMs, timeoutMs, request }: CopiesWait,
): Promise<void> {
  const needed = neededCopies(index, asked);
  const enough = (state: ClusterState): boolean => isGone(state, index) || activeCopies(state, shard) >= needed;
  if (needed === 0 || enough(context.clusterState())) return;
  if ((await context.whenState(enough, leftMs)) !== undefined) return;
  const active = activeCopies(context.clusterState(), shard);
  const where = `[${shard.index}][${shard.shard}]`;
  const timeout = `Timeout: [${formatTime(timeoutMs)}], request: [${request}]`;
  throw new QuarryError(
    'unavailable_shards_exception',
    active === 0
      ? `${where} primary shard is not active ${timeout}`
      : `${where} Not enough active copies to meet shard count of [${needed}] (have ${active}, needed ${needed}). ${timeout}`,
  );
}

function neededCopies(index: IndexMetadata, asked: ActiveShards | undefined): number {
  const copies = index.numberOfReplicas + 1;
  const count = asked ?? indexSetting(index, 'waitForActiveShards') ?? 1;
  if (count === 'all') return copies;
  if (count <= copies) return Math.max(1, count);
  return count;
}

function activeCopies(state: ClusterState, shard: ShardKey): number {
  const routing = state.routing.get(shard.index);
  if (routing?.index.uuid !== shard.indexUuid) return 0;
  return (routing.shards[shard.shard] ?? []).filter(isActive).length;
}

function isGone(state: ClusterState, { name, uuid }: IndexMetadata): boolean {
  return state.indices.get(name)?.uuid !== uuid;
}
