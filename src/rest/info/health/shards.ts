/** The indicator `shards_availability`: copies of shards that no node has, why, and what to do. */
import { clusterHealth } from '../../../cluster/health.js';
import { dataNodes } from '../../../cluster/nodes/data-nodes.js';
import { effectiveClusterSettings } from '../../../cluster/settings/effective-cluster-settings.js';
import type { ClusterState, IndexMetadata, ShardCopy } from '../../../cluster/state.js';
import { worstOf, type Diagnosis, type Finding, type HealthView, type Impact } from '../finding.js';

const ENABLE = 'cluster.routing.allocation.enable';
const HELP = 'docs/allocation.md';

export function shardsAvailability({ state, namesMax }: HealthView): Finding {
  const health = clusterHealth(
    state,
    [...state.indices.values()].filter((index) => index.state === 'open'),
  );
  const shards = health.indices.flatMap((index) => index.shards);
  const primariesMissing = shards.filter((shard) => !shard.primaryActive).length;
  const initializingPrimaries = primariesMissing - health.unassignedPrimaries;
  const replicasUnassigned = health.unassigned - health.unassignedPrimaries;
  const details = {
    unassigned_primaries: health.unassignedPrimaries,
    initializing_primaries: initializingPrimaries,
    started_primaries: health.activePrimaries,
    unassigned_replicas: replicasUnassigned,
    initializing_replicas: Math.max(0, health.initializing - initializingPrimaries),
    started_replicas: health.active - health.activePrimaries,
  };
  const without = (kind: 'red' | 'yellow'): readonly string[] =>
    health.indices.filter(({ status }) => status === kind).map(({ index }) => index.name);
  const impacts = [
    ...availabilityImpact('primary_unassigned', without('red'), namesMax),
    ...(replicasUnassigned > 0 ? availabilityImpact('replica_unassigned', without('yellow'), namesMax) : []),
  ];
  const missing = [counted(health.unassignedPrimaries, 'primary'), counted(replicasUnassigned, 'replica')].filter(
    (text) => text !== '',
  );
  const symptom = missing.length === 0 ? 'all shards available' : missing.join(', ');
  return {
    status: worstOf(health.indices.map(({ status }) => status)),
    symptom: `This cluster has ${symptom}.`,
    details,
    impacts,
    diagnoses: diagnosesOf(
      state,
      health.indices.filter(({ status }) => status !== 'green').map(({ index }) => index),
      namesMax,
    ),
  };
}

/** For indices with copies that no node has. */
function diagnosesOf(state: ClusterState, indices: readonly IndexMetadata[], namesMax: number): readonly Diagnosis[] {
  const diagnoses: Diagnosis[] = [];
  const add = (diagnosis: Omit<Diagnosis, 'indices' | 'helpUrl'>, affected: readonly IndexMetadata[]): void => {
    if (affected.length === 0) return;
    diagnoses.push({ ...diagnosis, helpUrl: HELP, indices: affected.slice(0, namesMax).map(({ name }) => name) });
  };
  const unassigned = indices.filter(({ name }) => copiesOf(state, name).some((copy) => copy.state === 'UNASSIGNED'));
  const lost = unassigned.filter(({ name }) => copiesOf(state, name).some(isLost));
  const enable = effectiveClusterSettings(state).get(ENABLE);
  const nodes = dataNodes(state).length;
  add(
    {
      id: 'restore_from_snapshot',
      cause: 'No node has a copy of these shards that holds all acknowledged writes.',
      action:
        'Start the nodes that had them. If they are lost, restore the indices from a snapshot; POST /_cluster/reroute with ' +
        '[allocate_stale_primary] takes an older copy and loses what came later.',
    },
    lost,
  );
  if (enable !== undefined && enable !== 'all') {
    add(
      {
        id: 'enable_cluster_allocations',
        cause: `[${ENABLE}] is [${String(enable)}]: copies are not allocated, as before a restart.`,
        action: `Allow them again: PUT /_cluster/settings with [${ENABLE}] null.`,
      },
      unassigned,
    );
  }
  add(
    {
      id: 'increase_node_capacity_for_allocations',
      cause: `These indices want more copies of a shard than there are data nodes [${nodes}]; no node holds two of them.`,
      action: 'Add data nodes, or lower [index.number_of_replicas].',
    },
    unassigned.filter(({ numberOfReplicas }) => numberOfReplicas >= nodes),
  );
  if (diagnoses.length === 0) {
    add(
      {
        id: 'explain_allocations',
        cause: 'Copies of these shards have no node yet.',
        action:
          'GET /_cluster/allocation/explain says for each node why. A copy whose node has just left waits for it first ' +
          '([index.unassigned.node_left.delayed_timeout]).',
      },
      unassigned,
    );
  }
  return diagnoses;
}

function copiesOf({ routing }: ClusterState, index: string): readonly ShardCopy[] {
  return (routing.get(index)?.shards ?? []).flat();
}

function isLost({ primary, unassigned }: ShardCopy): boolean {
  return primary && unassigned?.lastAllocationStatus === 'no_valid_shard_copy';
}

function counted(count: number, kind: string): string {
  return count === 0 ? '' : `${count} unavailable ${kind} shard${count === 1 ? '' : 's'}`;
}

function availabilityImpact(
  kind: 'primary_unassigned' | 'replica_unassigned',
  names: readonly string[],
  namesMax: number,
): readonly Impact[] {
  if (names.length === 0) return [];
  const on = `${names.length} ${names.length === 1 ? 'index' : 'indices'} [${names.slice(0, namesMax).join(', ')}]`;
  const id = `elasticsearch:health:shards_availability:impact:${kind}`;
  if (kind === 'primary_unassigned') {
    const description = `Cannot add data to ${on}. Searches might return incomplete results.`;
    return [{ id, severity: 1, description, areas: ['ingest', 'search'] }];
  }
  const description = `Searches might be slower than usual. Fewer redundant copies of the data exist on ${on}.`;
  return [{ id, severity: 2, description, areas: ['search'] }];
}
