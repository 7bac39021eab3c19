/** Creates an index and waits until enough of its shards can be used. */
import { illegalArgument } from '../../base/errors.js';
import type { JsonObject } from '../../base/json-value.js';
import type { CreateIndexResult } from '../../cluster/changes/indices/create-index.js';
import { indexSetting } from '../../cluster/settings/index-values.js';
import { isActive } from '../../cluster/copies/shard-copies.js';
import type { ClusterState, IndexId, IndexMetadata } from '../../cluster/state.js';
import type { ActionContext } from '../context.js';
import { authoriseAliases } from '../security/item-actions.js';
import { dataNodes } from '../../cluster/nodes/data-nodes.js';

export type ActiveShards = 'all' | number;

export interface CreateIndexRequest {
  readonly name: string;
  readonly settings?: JsonObject;
  readonly mappings?: JsonObject;
  readonly aliases?: JsonObject;
  /** An index that is there already is taken instead. */
  readonly ifAbsent?: boolean;
}

export interface WaitOptions {
  /** Copies of each shard that must be started; the index's own setting (default 1) when absent. */
  readonly waitForActiveShards?: ActiveShards | undefined;
  readonly masterTimeoutMs: number;
  readonly timeoutMs: number;
}

export interface CreatedIndex extends CreateIndexResult {
  /** Whether the shards became active in time. */
  readonly shardsAcknowledged: boolean;
}

export async function createIndex(
  context: ActionContext,
  request: CreateIndexRequest,
  wait: WaitOptions,
): Promise<CreatedIndex> {
  authoriseAliases(context, request.name, request.aliases);
  const defaults = new Map(Object.entries(context.settings.indexDefaults));
  const result = await context.coordinator.submit(
    'create-index',
    { ...request, defaults },
    { timeoutMs: wait.masterTimeoutMs },
  );
  const shardsAcknowledged = await waitForActiveShards(context, [result.index], wait);
  return { ...result, shardsAcknowledged };
}

/**
 * Resolves `true` when every shard of the indices has enough started copies, `false` when the time is over, or when they
 * cannot come: a node holds one copy of a shard, and this cluster has no more nodes to wait for.
 */
export async function waitForActiveShards(
  context: ActionContext,
  indices: readonly IndexId[],
  wait: Pick<WaitOptions, 'waitForActiveShards' | 'timeoutMs'>,
): Promise<boolean> {
  const isActive = (state: ClusterState, id: IndexId): boolean => hasActiveShards(state, id, wait.waitForActiveShards);
  const isHopeless = (state: ClusterState, id: IndexId): boolean => needsMoreNodes(state, id, wait.waitForActiveShards);
  const state = await context.whenState(
    (current) => indices.every((id) => isActive(current, id)) || indices.some((id) => isHopeless(current, id)),
    wait.timeoutMs,
  );
  return state !== undefined && indices.every((id) => isActive(state, id));
}

/** Refuses to wait for more copies than a shard has. */
export function checkActiveShards(wanted: ActiveShards | undefined, replicas: number): void {
  if (typeof wanted !== 'number' || wanted <= replicas + 1) return;
  throw illegalArgument(
    `invalid wait_for_active_shards[${wanted}]: cannot be greater than number of shard copies [${replicas + 1}]`,
  );
}

/** An index that is gone meanwhile keeps nobody waiting. */
function hasActiveShards(state: ClusterState, id: IndexId, asked: ActiveShards | undefined): boolean {
  const index = state.indices.get(id.name);
  const routing = state.routing.get(id.name);
  if (index?.uuid !== id.uuid || routing === undefined) return true;
  const wanted = wantedCopies(index, asked);
  return routing.shards.every((copies) => copies.filter(isActive).length >= wanted);
}

function needsMoreNodes(state: ClusterState, id: IndexId, asked: ActiveShards | undefined): boolean {
  const index = state.indices.get(id.name);
  return index?.uuid === id.uuid && wantedCopies(index, asked) > dataNodes(state).length;
}

function wantedCopies(index: IndexMetadata, asked: ActiveShards | undefined): number {
  const wanted = asked ?? indexSetting(index, 'waitForActiveShards') ?? 1;
  return wanted === 'all' ? index.numberOfReplicas + 1 : wanted;
}
