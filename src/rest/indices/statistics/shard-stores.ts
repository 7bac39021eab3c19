/** `GET {index}/_shard_stores`: on which nodes the files of copies are, also of copies that have no place. */
import type { ActionContext } from '../../../actions/context.js';
import { keyOf } from '../../../actions/indices/broadcast.js';
import { askNodes } from '../../../actions/nodes/ask-nodes.js';
import type { ShardKey } from '../../../actions/shard-client.js';
import { illegalArgument, type QuarryError } from '../../../base/errors.js';
import type { JsonObject } from '../../../base/json-value.js';
import { dataNodes } from '../../../cluster/nodes/data-nodes.js';
import { IndicesDefaults } from '../../../cluster/names/indices-options.js';
import type { FoundStore } from '../../../cluster/nodes/node-reports.js';
import { hasActivePrimary, isActive } from '../../../cluster/copies/shard-copies.js';
import type { ClusterState, IndexMetadata, NodeRecord } from '../../../cluster/state.js';
import { answerValue } from '../../answer.js';
import { roleNames } from '../../cluster/nodes/node-roles.js';
import { defineEndpoint } from '../../endpoint.js';
import { indicesOptionsParameters, listParameter } from '../../parameters.js';
import { namedIndices } from '../index-names.js';

type ShardStatus = 'green' | 'yellow' | 'red';

const STATUSES: readonly (ShardStatus | 'all')[] = ['green', 'yellow', 'red', 'all'];
/** How long nodes are waited for. */
const ANSWER_MS_MAX = 30_000;

export const shardStoresEndpoint = defineEndpoint({
  name: 'indices.shard_stores',
  action: 'indices:monitor/shard_stores',
  methods: ['GET'],
  paths: ['/_shard_stores', '/{index}/_shard_stores'],
  parameters: { ...indicesOptionsParameters, status: listParameter() },
  body: 'none',
  pool: 'management',
  placement: 'any',
  async handle(request, context) {
    const { parameters, parts } = request;
    const wanted = readStatuses(parameters.status ?? ['yellow', 'red']);
    const indices = namedIndices(context, parts.index, IndicesDefaults.expandOpen, parameters);
    const state = context.clusterState();
    const shards = indices.flatMap((index) => shardsWithStatus(state, index, wanted));
    const { answers, failures } = await askNodes(context, dataNodes(state), 'shard-stores', { shards }, ANSWER_MS_MAX);
    const entries = indices.flatMap(({ name }) => {
      const own = shards.flatMap((key, at) => {
        if (key.index !== name) return [];
        const found = answers.flatMap(({ node, output }) => foundOn(state, key, node, output[at] ?? null));
        const stores = found.sort(byWorth).map((store) => renderStore(store, context));
        return [[String(key.shard), { stores }] as const];
      });
      return own.length === 0 ? [] : [[name, { shards: Object.fromEntries(own) }] as const];
    });
    return answerValue({
      ...(failures.length === 0 ? {} : { failures: failures.map(renderFailure) }),
      indices: Object.fromEntries(entries),
    });
  },
});

function readStatuses(names: readonly string[]): ReadonlySet<ShardStatus> {
  const unknown = names.find((name) => !STATUSES.some((status) => status === name.toLowerCase()));
  if (unknown !== undefined) throw illegalArgument(`unknown cluster health status [${unknown}]`);
  const lower = names.map((name) => name.toLowerCase());
  return new Set(
    (['green', 'yellow', 'red'] as const).filter((status) => lower.includes(status) || lower.includes('all')),
  );
}

function shardsWithStatus(
  { routing }: ClusterState,
  index: IndexMetadata,
  wanted: ReadonlySet<ShardStatus>,
): readonly ShardKey[] {
  return (routing.get(index.name)?.shards ?? []).flatMap((copies, shard) => {
    const status = !hasActivePrimary(copies) ? 'red' : copies.every(isActive) ? 'green' : 'yellow';
    return wanted.has(status) ? [keyOf(index, shard)] : [];
  });
}

type Use = 'primary' | 'replica' | 'unused';

interface StoreOnNode {
  readonly node: NodeRecord;
  readonly store: FoundStore;
  readonly use: Use;
}

function foundOn(
  state: ClusterState,
  key: ShardKey,
  node: NodeRecord,
  store: FoundStore | null,
): readonly StoreOnNode[] {
  if (store === null) return [];
  const copy = state.routing.get(key.index)?.shards[key.shard]?.find(({ nodeId }) => nodeId === node.id);
  const use = copy === undefined ? 'unused' : copy.primary ? 'primary' : 'replica';
  return [{ node, store, use }];
}

const USES: readonly Use[] = ['primary', 'replica', 'unused'];

/** Whole ones before damaged ones, those in use before others. */
function byWorth(left: StoreOnNode, right: StoreOnNode): number {
  const rank = ({ store, use }: StoreOnNode): number =>
    (store.error === undefined ? 0 : 10) + (store.allocationId === null ? 5 : 0) + USES.indexOf(use);
  return rank(left) - rank(right);
}

function renderStore({ node, store, use }: StoreOnNode, context: ActionContext): JsonObject {
  const { id, name, ephemeralId, transportAddress, attributes } = node;
  const { allocationId, error } = store;
  return {
    [id]: {
      name,
      ephemeral_id: ephemeralId,
      transport_address: transportAddress,
      attributes,
      roles: roleNames(node, context.settings.values['compatibility.distribution']),
    },
    ...(allocationId === null ? {} : { allocation_id: allocationId }),
    allocation: use,
    ...(error === undefined ? {} : { store_exception: { type: 'corrupt_index_exception', reason: error } }),
  };
}

/** A node that does not answer is told of once, not once for each shard. */
function renderFailure({ type, message, details }: QuarryError): JsonObject {
  return { node: details['node_id'], status: 'INTERNAL_SERVER_ERROR', reason: { type, reason: message, ...details } };
}
