/** `GET {index}/_search_shards`: which copies a search would ask. */
import { parsePreference } from '../../actions/copy-preference.js';
import { copiesInOrder, copiesOf } from '../../actions/copy-selection.js';
import { shardKey } from '../../actions/documents/write-target.js';
import { aliasNamesAsked, searchTargets, type SearchTarget } from '../../actions/searches/shards/search-targets.js';
import type { ActionContext } from '../../actions/context.js';
import type { JsonObject } from '../../base/json-value.js';
import type { NodeRecord, ShardCopy } from '../../cluster/state.js';
import { Place } from '../../search/body/place.js';
import { readSlice, sliceOfShard, type SliceRequest } from '../../search/request/slice.js';
import { answerValue } from '../answer.js';
import { roleNames } from '../cluster/nodes/node-roles.js';
import { defineEndpoint, type RestBody } from '../endpoint.js';
import { apiVersion, versionId } from '../info/compatibility.js';
import { booleanParameter, stringParameter, timeParameter, indicesOptionsParameters } from '../parameters.js';
import { searchScope } from './search-parameters.js';

export const searchShards = defineEndpoint({
  name: 'search_shards',
  action: 'indices:admin/shards/search_shards',
  methods: ['GET', 'POST'],
  paths: ['/_search_shards', '/{index}/_search_shards'],
  parameters: {
    ...indicesOptionsParameters,
    local: booleanParameter(),
    master_timeout: timeParameter(),
    cluster_manager_timeout: timeParameter(),
    preference: stringParameter(),
    routing: stringParameter(),
  },
  body: 'json',
  pool: 'search',
  placement: 'any',
  handle({ parts, parameters: given, body }, context) {
    const state = context.clusterState();
    const nowMs = context.clock.nowMs();
    const scope = searchScope(parts.index, given);
    const targets = searchTargets(state, scope, nowMs);
    const aliases = aliasNamesAsked(state, scope, nowMs);
    const slice = readSliceBody(body);
    const all = targets.flatMap((target) => target.shards.map((shard) => ({ target, shard })));
    const kept = all.filter((_, at) => slice === undefined || sliceOfShard(slice, at, all.length) !== undefined);
    const groups = kept.map(({ target, shard }) => copiesOfShard(target, shard, given.preference, context));
    const nodeIds = new Set(groups.flat().flatMap(({ node }) => (typeof node === 'string' ? [node] : [])));
    return answerValue({
      nodes: renderNodes(nodeIds, context),
      indices: Object.fromEntries(
        targets.map((target) => [target.index.name, renderAliases(target, aliases.get(target.index))]),
      ),
      shards: groups,
    });
  },
});

function readSliceBody(body: RestBody): SliceRequest | undefined {
  let slice: SliceRequest | undefined;
  for (const [name, value] of Place.ofBody(body.isEmpty ? undefined : body).members()) {
    if (name !== 'slice') throw value.error(`Unknown key for a ${value.token} in [${name}].`);
    slice = readSlice(value);
  }
  return slice;
}

/** In the order in which they would be asked. */
function copiesOfShard(
  target: SearchTarget,
  shard: number,
  preference: string | undefined,
  context: ActionContext,
): readonly JsonObject[] {
  const key = shardKey(target.index, shard);
  const state = context.clusterState();
  const { ranks } = context.shards;
  const order = copiesInOrder(key, parsePreference(preference).copies, {
    state,
    localNodeId: context.node.id,
    rankOf: (nodeId) => ranks.rankOf(nodeId),
    turn: 0,
  });
  const copies = copiesOf(state, key);
  return order.flatMap(({ allocationId }) => {
    const copy = copies.find((candidate) => candidate.allocationId === allocationId);
    return copy === undefined ? [] : [renderCopy(target.index.name, copy)];
  });
}

function renderCopy(index: string, copy: ShardCopy): JsonObject {
  return {
    state: copy.state,
    primary: copy.primary,
    node: copy.nodeId,
    relocating_node: copy.relocatingNodeId,
    shard: copy.shard,
    index,
    ...(copy.allocationId === null ? {} : { allocation_id: { id: copy.allocationId } }),
  };
}

function renderAliases({ filters }: SearchTarget, aliases: readonly string[] | undefined): JsonObject {
  const [only] = filters;
  return {
    ...(aliases === undefined ? {} : { aliases }),
    ...(only === undefined ? {} : { filter: filters.length === 1 ? only : { bool: { should: filters } } }),
  };
}

function renderNodes(ids: ReadonlySet<string>, context: ActionContext): JsonObject {
  const { nodes } = context.clusterState();
  const entries = [...ids].flatMap((id) => {
    const node = nodes.get(id);
    if (node === undefined) return [];
    const { name, ephemeralId, transportAddress, attributes } = node;
    const common = { name, ephemeral_id: ephemeralId, transport_address: transportAddress };
    return [[id, { ...common, ...elasticMembers(node, context), attributes }] as const];
  });
  return Object.fromEntries(entries);
}

/** What Elasticsearch tells of a node as well. */
function elasticMembers(node: NodeRecord, { settings }: ActionContext): JsonObject {
  const distribution = settings.values['compatibility.distribution'];
  if (distribution !== 'elasticsearch') return {};
  const version = versionId(settings);
  return {
    external_id: node.name,
    roles: roleNames(node, distribution),
    version: apiVersion(settings),
    min_index_version: version,
    max_index_version: version,
  };
}
