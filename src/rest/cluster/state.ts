/** `GET _cluster/state/{metrics}/{index}`. */
import type { ActionContext } from '../../actions/context.js';
import { illegalArgument } from '../../base/errors.js';
import type { JsonObject } from '../../base/json-value.js';
import { IndicesDefaults } from '../../cluster/names/indices-options.js';
import type { ClusterState, IndexMetadata, IndexRouting, ShardCopy, UnassignedInfo } from '../../cluster/state.js';
import { renderMapping } from '../../mapping/render.js';
import { answerValue } from '../answer.js';
import { clusterIdentity, clusterUuidOf } from '../cluster-identity.js';
import { defineEndpoint } from '../endpoint.js';
import { namedIndices, stateReadParameters } from '../indices/index-names.js';
import { renderSettings } from '../indices/settings/render-settings.js';
import { booleanParameter, indicesOptionsParameters, longParameter, splitList, timeParameter } from '../parameters.js';
import { renderComponentTemplate, renderIndexTemplate, renderLegacyTemplate } from '../templates/render-template.js';
import { roleNames } from './nodes/node-roles.js';
import { renderBlocks } from './state-blocks.js';

export const METRICS = [
  'version',
  'master_node',
  'cluster_manager_node',
  'blocks',
  'nodes',
  'metadata',
  'routing_table',
  'routing_nodes',
] as const;
export type Metric = (typeof METRICS)[number];

export const clusterStateEndpoint = defineEndpoint({
  name: 'cluster.state',
  action: 'cluster:monitor/state',
  methods: ['GET'],
  paths: ['/_cluster/state', '/_cluster/state/{metric}', '/_cluster/state/{metric}/{index}'],
  parameters: {
    ...indicesOptionsParameters,
    ...stateReadParameters,
    flat_settings: booleanParameter(false),
    wait_for_metadata_version: longParameter(),
    wait_for_timeout: timeParameter(60_000),
  },
  body: 'none',
  pool: 'management',
  placement: 'any',
  async handle(request, context) {
    const { parameters, parts } = request;
    const wanted = wantedVersion(parameters.wait_for_metadata_version);
    const { cancellation } = context;
    const isReached = ({ metadataVersion }: ClusterState): boolean => metadataVersion >= wanted;
    const reached = await context.whenState(isReached, parameters.wait_for_timeout, cancellation);
    if (reached === undefined) cancellation.throwIfCancelled();
    const state = context.clusterState();
    const identity = clusterIdentity(state);
    if (reached === undefined) return answerValue({ ...identity, wait_for_timed_out: true });
    const indices = namedIndices(context, parts.index, IndicesDefaults.lenient, parameters);
    const metrics = parts.metric === undefined ? METRICS : readMetrics(splitList(parts.metric));
    const view = { state, indices, context, flat: parameters.flat_settings };
    return answerValue({ ...identity, ...renderSections(metrics, view) });
  },
});

function wantedVersion(asked: number | undefined): number {
  if (asked === undefined || asked >= 1) return asked ?? 0;
  throw illegalArgument(`provided waitForMetadataVersion should be >= 1, but instead is [${asked}]`);
}

export interface StateView {
  readonly state: ClusterState;
  readonly indices: readonly IndexMetadata[];
  readonly context: ActionContext;
  readonly flat: boolean;
}

export function renderSections(metrics: readonly Metric[], view: StateView): JsonObject {
  const sections = metrics.map((metric) => renderSection(metric, view));
  return Object.fromEntries(sections.flatMap((section) => Object.entries(section)));
}

function renderSection(metric: Metric, view: StateView): JsonObject {
  const { state } = view;
  switch (metric) {
    case 'version':
      return { version: state.version, state_uuid: state.stateUuid };
    case 'master_node':
    case 'cluster_manager_node':
      return { [metric]: state.masterNodeId === '' ? null : state.masterNodeId };
    case 'blocks':
      return { blocks: renderBlocks(state, view.indices, view.context.node) };
    case 'nodes':
      return { nodes: renderNodes(view) };
    case 'metadata':
      return { metadata: renderMetadata(view) };
    case 'routing_table':
      return { routing_table: { indices: renderRouting(view) } };
    case 'routing_nodes':
      return { routing_nodes: renderRoutingNodes(view) };
  }
}

export function readMetrics(names: readonly string[]): readonly Metric[] {
  // `customs` are parts of the state that other features add; none is there.
  const unknown = names.find((name) => name !== 'customs' && !METRICS.some((metric) => metric === name));
  if (unknown !== undefined && !names.includes(ALL)) {
    throw illegalArgument(`request contains unrecognized metric: [${unknown}]`);
  }
  return knownMetrics(names);
}

/** Other names mean nothing. */
export function knownMetrics(names: readonly string[]): readonly Metric[] {
  return names.includes(ALL) ? METRICS : METRICS.filter((metric) => names.includes(metric));
}

const ALL = '_all';

function renderNodes({ state, context }: StateView): JsonObject {
  const distribution = context.settings.values['compatibility.distribution'];
  return Object.fromEntries(
    [...state.nodes.values()].map((node) => [
      node.id,
      {
        name: node.name,
        transport_address: node.transportAddress,
        attributes: node.attributes,
        roles: roleNames(node, distribution),
      },
    ]),
  );
}

function renderMetadata({ state, indices, flat }: StateView): JsonObject {
  return {
    cluster_uuid: clusterUuidOf(state),
    cluster_uuid_committed: state.clusterUuid !== '',
    cluster_coordination: renderCoordination(state),
    ...renderTemplates(state, flat),
    indices: Object.fromEntries(
      indices.map((index) => [
        index.name,
        {
          version: index.version,
          mapping_version: index.mappingVersion,
          settings_version: index.settingsVersion,
          aliases_version: index.aliasesVersion,
          routing_num_shards: index.routingNumShards,
          state: index.state,
          settings: renderSettings(index.settings, { flat }),
          mappings: { _doc: renderMapping(index.mapping) },
          aliases: [...index.aliases.keys()].sort(),
          primary_terms: Object.fromEntries(index.primaryTerms.map((term, shard) => [String(shard), term])),
          in_sync_allocations: Object.fromEntries(index.inSyncAllocationIds.map((ids, shard) => [String(shard), ids])),
        },
      ]),
    ),
    'index-graveyard': {
      tombstones: [...state.tombstones].map(([uuid, { name, deletedAtMs }]) => ({
        index: { index_name: name, index_uuid: uuid },
        delete_date_in_millis: deletedAtMs,
      })),
    },
  };
}

function renderTemplates(
  { legacyTemplates, indexTemplates, componentTemplates }: ClusterState,
  flat: boolean,
): JsonObject {
  const rendered = <T>(
    templates: ReadonlyMap<string, T>,
    render: (template: T, flat: boolean) => JsonObject,
  ): JsonObject => Object.fromEntries([...templates].map(([name, template]) => [name, render(template, flat)]));
  return {
    templates: rendered(legacyTemplates, renderLegacyTemplate),
    index_template: { index_template: rendered(indexTemplates, renderIndexTemplate) },
    component_template: { component_template: rendered(componentTemplates, renderComponentTemplate) },
  };
}

/** Raft commits and accepts a configuration in one step, as far as this state can tell. */
function renderCoordination({ term, voting, nodes }: StateView['state']): JsonObject {
  const byRaftId = new Map([...nodes.values()].map((node) => [node.raftId, node.id]));
  const config = voting.voters.map((raftId) => byRaftId.get(raftId) ?? raftId);
  return {
    term,
    last_committed_config: config,
    last_accepted_config: config,
    voting_config_exclusions: voting.exclusions.map(({ nodeId, nodeName }) => ({
      node_id: nodeId,
      node_name: nodeName,
    })),
  };
}

function renderRouting({ state, indices }: StateView): JsonObject {
  return Object.fromEntries(
    indices.flatMap(({ name }) => {
      const routing = state.routing.get(name);
      if (routing === undefined) return [];
      const shards = routing.shards.map(
        (copies, shard) => [String(shard), copies.map((copy) => renderCopy(routing, copy))] as const,
      );
      return [[name, { shards: Object.fromEntries(shards) }] as const];
    }),
  );
}

function renderRoutingNodes({ state, indices }: StateView): JsonObject {
  const copies = indices.flatMap(({ name }) => {
    const routing = state.routing.get(name);
    return routing === undefined ? [] : routing.shards.flat().map((copy) => ({ routing, copy }));
  });
  const on = (nodeId: string | null): readonly JsonObject[] =>
    copies.filter(({ copy }) => copy.nodeId === nodeId).map(({ routing, copy }) => renderCopy(routing, copy));
  return {
    unassigned: on(null),
    nodes: Object.fromEntries([...state.nodes.keys()].map((nodeId) => [nodeId, on(nodeId)])),
  };
}

function renderCopy(routing: IndexRouting, copy: ShardCopy): JsonObject {
  return {
    state: copy.state,
    primary: copy.primary,
    node: copy.nodeId,
    relocating_node: copy.relocatingNodeId,
    shard: copy.shard,
    index: routing.index.name,
    ...(copy.allocationId === null ? {} : { allocation_id: { id: copy.allocationId } }),
    ...(copy.unassigned === null ? {} : { unassigned_info: renderUnassigned(copy.unassigned) }),
  };
}

function renderUnassigned(info: UnassignedInfo): JsonObject {
  return {
    reason: info.reason,
    at: new Date(info.atMs).toISOString(),
    ...(info.failedAllocations === 0 ? {} : { failed_attempts: info.failedAllocations }),
    delayed: info.delayed,
    ...(info.details === undefined ? {} : { details: info.details }),
    allocation_status: info.lastAllocationStatus,
  };
}
