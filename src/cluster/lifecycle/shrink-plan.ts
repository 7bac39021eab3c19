/** What the `shrink` action of a policy does next for an index. Pure: the state tells how far it is. */
import { illegalArgument } from '../../base/errors.js';
import type { JsonObject } from '../../base/json-value.js';
import { indexFacts, clusterFacts } from '../allocation/index-facts.js';
import { isBlocked } from '../blocks/blocks.js';
import { dataNodes } from '../nodes/data-nodes.js';
import { passesFilters } from '../deciders/filter.js';
import { effectiveClusterSettings } from '../settings/effective-cluster-settings.js';
import { resizeSource } from '../resize.js';
import { isActive, isWhole } from '../copies/shard-copies.js';
import type { ClusterState, IndexId, IndexMetadata } from '../state.js';
import { lifecycleDateMs } from './progress.js';

/** Where all its shards are brought together. */
export const GATHERING_SETTING = 'index.routing.allocation.require._id';

export type ShrinkPlan =
  /** There is nothing to shrink. */
  | { readonly next: 'skip' }
  | { readonly next: 'settings'; readonly settings: JsonObject }
  | { readonly next: 'wait' }
  | { readonly next: 'make'; readonly target: string; readonly settings: JsonObject }
  | { readonly next: 'replace'; readonly target: IndexId };

export function planShrink(state: ClusterState, index: IndexMetadata, body: JsonObject): ShrinkPlan {
  const shards = body['number_of_shards'];
  if (index.numberOfShards === 1 || index.numberOfShards === shards) return { next: 'skip' };
  const target = [...state.indices.values()].find((each) => isTargetOf(each, index));
  if (target !== undefined) {
    return isWhole(state, target)
      ? { next: 'replace', target: { name: target.name, uuid: target.uuid } }
      : { next: 'wait' };
  }
  if (!isBlocked(index, 'write')) return { next: 'settings', settings: { 'index.blocks.write': 'true' } };
  if (isTogether(state, index)) {
    return { next: 'make', target: targetName(index), settings: settingsOf(state, index, body) };
  }
  if (index.settings.has(GATHERING_SETTING)) return { next: 'wait' };
  return { next: 'settings', settings: { [GATHERING_SETTING]: placeToGather(state, index) } };
}

function targetName({ name, uuid }: IndexMetadata): string {
  return `shrink-${uuid.slice(0, 4).toLowerCase()}-${name}`;
}

function isTargetOf(candidate: IndexMetadata, index: IndexMetadata): boolean {
  return resizeSource(candidate)?.uuid === index.uuid && candidate.name === targetName(index);
}

function isTogether(state: ClusterState, { name }: IndexMetadata): boolean {
  const shards = state.routing.get(name)?.shards ?? [];
  return [...state.nodes.keys()].some((nodeId) =>
    shards.every((copies) => copies.some((copy) => copy.nodeId === nodeId && isActive(copy))),
  );
}

/** The node that has most of it already, of those that may have all. */
function placeToGather(state: ClusterState, index: IndexMetadata): string {
  const filters = [clusterFacts(effectiveClusterSettings(state)).filters, indexFacts(index).filters];
  const copies = (state.routing.get(index.name)?.shards ?? []).flat();
  const held = (nodeId: string): number => copies.filter((copy) => copy.nodeId === nodeId).length;
  const nodes = dataNodes(state).filter((node) => passesFilters(filters, node) && !state.shutdowns.has(node.id));
  const [best] = nodes.sort((left, right) => held(right.id) - held(left.id) || (left.id < right.id ? -1 : 1));
  if (best !== undefined) return best.id;
  throw illegalArgument(`no node may hold all shards of index [${index.name}]`);
}

function settingsOf(state: ClusterState, index: IndexMetadata, body: JsonObject): JsonObject {
  const { number_of_shards: shards, allow_write_after_shrink: takesWrites } = body;
  return {
    ...(shards === undefined ? {} : { 'index.number_of_shards': shards }),
    // Its documents are as old as they were.
    'index.lifecycle.origination_date': String(lifecycleDateMs(state, index)),
    [GATHERING_SETTING]: null,
    // It goes on in the policy once it is in the place of the other.
    'index.lifecycle.name': null,
    ...(takesWrites === true ? { 'index.blocks.write': null } : {}),
  };
}
