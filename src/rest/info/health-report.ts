/** `GET _health_report`: what is wrong with the cluster, by indicator, in sentences. */
import { QuarryError } from '../../base/errors.js';
import type { JsonObject } from '../../base/json-value.js';
import { clusterHealth, type HealthStatus } from '../../cluster/health.js';
import { shardCapacity } from '../../cluster/shard-limit.js';
import type { ClusterState } from '../../cluster/state.js';
import { answerValue } from '../answer.js';
import { defineEndpoint } from '../endpoint.js';
import { booleanParameter, integerParameter, timeParameter } from '../parameters.js';
import type { Finding, Impact } from './finding.js';
import { slm } from './snapshot-health.js';

type Indicator = (state: ClusterState, namesMax: number, nowMs: number) => Finding;

const NAMES_MAX = 1000;
const READ_ONLY_BLOCK = 'index.blocks.read_only_allow_delete';
/** So few shards before the limit are worth a word. */
const CAPACITY = { yellow: 10, red: 5 };

const INDICATORS: Readonly<Record<string, Indicator>> = {
  master_is_stable: masterIsStable,
  shards_availability: shardsAvailability,
  disk,
  shards_capacity: shardsCapacity,
  ilm,
  slm,
};

export const healthReportEndpoint = defineEndpoint({
  name: 'health_report',
  action: 'cluster:monitor/health_api',
  methods: ['GET'],
  paths: ['/_health_report', '/_health_report/{feature}'],
  parameters: { timeout: timeParameter(30_000), verbose: booleanParameter(true), size: integerParameter(NAMES_MAX) },
  body: 'none',
  pool: 'management',
  placement: 'any',
  distribution: 'elasticsearch',
  handle({ parameters, parts }, context) {
    const size = parameters.size ?? NAMES_MAX;
    if (size < 0) throw new QuarryError('illegal_argument_exception', 'The size parameter must be a positive integer');
    const state = context.clusterState();
    const nowMs = context.clock.nowMs();
    const found = chosen(parts.feature).map(([name, indicator]) => [name, indicator(state, size, nowMs)] as const);
    const indicators = Object.fromEntries(found.map(([name, each]) => [name, render(each, parameters.verbose)]));
    const report = { cluster_name: state.clusterName, indicators };
    return answerValue(
      parts.feature === undefined ? { status: worstOf(found.map(([, { status }]) => status)), ...report } : report,
    );
  },
});

function chosen(name: string | undefined): readonly (readonly [string, Indicator])[] {
  if (name === undefined) return Object.entries(INDICATORS);
  const indicator = Object.hasOwn(INDICATORS, name) ? INDICATORS[name] : undefined;
  if (indicator === undefined) {
    throw new QuarryError('resource_not_found_exception', `Did not find indicator [${name}]`);
  }
  return [[name, indicator]];
}

function render({ status, symptom, details, impacts = [] }: Finding, isVerbose: boolean): JsonObject {
  const rendered = impacts.map(({ id, severity, description, areas }) => ({
    ...{ id, severity, description },
    impact_areas: areas,
  }));
  return {
    ...{ status, symptom },
    ...(isVerbose ? { details } : {}),
    ...(impacts.length > 0 ? { impacts: rendered } : {}),
  };
}

function worstOf(statuses: readonly HealthStatus[]): HealthStatus {
  return statuses.find((each) => each === 'red') ?? statuses.find((each) => each === 'yellow') ?? 'green';
}

function masterIsStable(state: ClusterState): Finding {
  const master = state.nodes.get(state.masterNodeId);
  if (master === undefined) {
    const description =
      'The cluster cannot create, delete, or rebalance indices, and cannot insert or update documents.';
    const id = 'elasticsearch:health:master_is_stable:impact:ingest_disabled';
    return {
      status: 'red',
      symptom: 'No master node is known to this node',
      details: {},
      impacts: [{ id, severity: 1, description, areas: ['ingest', 'deployment_management'] }],
    };
  }
  const node = { node_id: master.id, name: master.name };
  const details = { current_master: node, recent_masters: [node] };
  return { status: 'green', symptom: 'The cluster has a stable master node', details };
}

function shardsAvailability(state: ClusterState, namesMax: number): Finding {
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
  };
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

function disk(state: ClusterState, namesMax: number): Finding {
  const names = [...state.indices.values()]
    .filter(({ settings }) => settings.get(READ_ONLY_BLOCK) === 'true')
    .map(({ name }) => name);
  const details = { indices_with_readonly_block: names.length };
  if (names.length === 0) {
    return { status: 'green', symptom: 'No index is blocked for want of disk space.', details };
  }
  const listed = names.slice(0, namesMax).join(', ');
  const impact = {
    id: 'elasticsearch:health:disk:impact:ingest_capability_unavailable',
    severity: 1,
    description: `Cannot add or change documents of ${names.length} indices [${listed}].`,
    areas: ['ingest'],
  };
  const symptom = `${names.length} indices take no writes, for want of disk space.`;
  return { status: 'red', symptom, details, impacts: [impact] };
}

function shardsCapacity(state: ClusterState): Finding {
  const { used, limit } = shardCapacity(state);
  const details = { data: { max_shards_in_cluster: limit, current_used_shards: used } };
  const left = limit - used;
  if (left >= CAPACITY.yellow) {
    return { status: 'green', symptom: 'The cluster has enough room to add new shards.', details };
  }
  const status = left < CAPACITY.red ? 'red' : 'yellow';
  const impact = {
    id: 'elasticsearch:health:shards_capacity:impact:creation_of_new_indices_blocked',
    severity: status === 'red' ? 1 : 2,
    description: `The cluster takes ${Math.max(0, left)} more shards; new indices are refused beyond them.`,
    areas: ['ingest'],
  };
  return {
    status,
    symptom: 'Cluster is close to reaching the configured maximum number of shards.',
    details,
    impacts: [impact],
  };
}

function ilm(state: ClusterState): Finding {
  const failing = [...state.indices.values()].filter(({ lifecycle }) => lifecycle?.failure !== undefined).length;
  const policies = state.lifecyclePolicies.size;
  const details = {
    policies,
    stagnating_indices: failing,
    ilm_status: state.lifecyclesStopped ? 'STOPPED' : 'RUNNING',
  };
  const impact = {
    id: 'elasticsearch:health:ilm:impact:stagnating_index',
    severity: 3,
    description: 'Automatic index lifecycle and data retention management cannot make progress on all indices.',
    areas: ['deployment_management'],
  };
  if (state.lifecyclesStopped && policies > 0) {
    return { status: 'yellow', symptom: 'Index Lifecycle Management is not running', details, impacts: [impact] };
  }
  if (failing > 0) {
    const symptom = `${failing} ${failing === 1 ? 'index fails' : 'indices fail'} at an action of its policy.`;
    return { status: 'yellow', symptom, details, impacts: [impact] };
  }
  return { status: 'green', symptom: 'Index Lifecycle Management is running', details };
}
