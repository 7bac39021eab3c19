/** Sections of `_cluster/state`. Loaded when somebody asks. */
import type { ActionContext } from '../../actions/context.js';
import type { JsonObject } from '../../base/json-value.js';
import type { ClusterState, IndexMetadata, IndexRouting, ShardCopy, UnassignedInfo } from '../../cluster/state.js';
import { renderMapping } from '../../mapping/render.js';
import { clusterUuidOf } from '../cluster-identity.js';
import { renderSettings } from '../indices/settings/render-settings.js';
import { renderComponentTemplate, renderIndexTemplate, renderLegacyTemplate } from '../templates/render-template.js';
import { roleNames } from './nodes/node-roles.js';
import { renderBlocks } from './state-blocks.js';
import type { Metric } from './state.js';

interface StateView {
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
