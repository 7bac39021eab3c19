/** `GET _cluster/health/{index}`: the state of health, at once or when it is as asked. */
import type { ActionContext } from '../../actions/context.js';
import { must } from '../../base/assert.js';
import { asQuarryError } from '../../base/error-wire.js';
import { illegalArgument, QuarryError, type ErrorType } from '../../base/errors.js';
import { double } from '../../base/double.js';
import type { JsonObject } from '../../base/json-value.js';
import {
  clusterHealth,
  indexHealth,
  isAtLeast,
  overallHealth,
  type HealthStatus,
  type HealthSummary,
  type IndexHealth,
  type ShardCounts,
} from '../../cluster/health.js';
import { expandExpressions, resolveIndices } from '../../cluster/names/index-expression.js';
import { indicesOptions, IndicesDefaults, type IndicesOptions } from '../../cluster/names/indices-options.js';
import type { ClusterState, IndexMetadata } from '../../cluster/state.js';
import { PRIORITIES, type PendingTask } from '../../coordinator/pending-tasks.js';
import { answerValue } from '../answer.js';
import { defineEndpoint } from '../endpoint.js';
import { indexNames, masterTimeoutMs } from '../indices/index-names.js';
import {
  activeShardsParameter,
  booleanParameter,
  enumParameter,
  listParameter,
  stringParameter,
  timeParameter,
} from '../parameters.js';
import { levelWithMaster, longestWaitMs } from './master-work.js';
import { parseNodeCount } from './statistics/node-count.js';
import { dataNodes } from '../../cluster/nodes/data-nodes.js';

export const clusterHealthEndpoint = defineEndpoint({
  name: 'cluster.health',
  action: 'cluster:monitor/health',
  methods: ['GET', 'HEAD'],
  paths: ['/_cluster/health', '/_cluster/health/{index}'],
  parameters: {
    expand_wildcards: listParameter(),
    level: enumParameter(['cluster', 'indices', 'shards']),
    local: booleanParameter(false),
    master_timeout: timeParameter(30_000),
    cluster_manager_timeout: timeParameter(30_000),
    timeout: timeParameter(30_000),
    return_200_for_cluster_health_timeout: booleanParameter(false),
    wait_for_active_shards: activeShardsParameter(),
    wait_for_events: enumParameter(['immediate', 'urgent', 'high', 'normal', 'low', 'languid']),
    wait_for_no_initializing_shards: booleanParameter(false),
    wait_for_no_relocating_shards: booleanParameter(false),
    wait_for_nodes: stringParameter(),
    wait_for_status: enumParameter(['green', 'yellow', 'red', 'GREEN', 'YELLOW', 'RED'], (text) =>
      illegalArgument(`unknown cluster health status [${text}]`),
    ),
  },
  body: 'none',
  pool: 'management',
  placement: 'any',
  async handle(request, context) {
    const { parameters, parts } = request;
    const names = indexNames(parts.index);
    const options = indicesOptions(IndicesDefaults.lenient, { expand_wildcards: parameters.expand_wildcards });
    const startedMs = context.clock.monotonicMs();
    const work = await levelWithMaster(context, parameters.local, masterTimeoutMs(parameters, request.sentParameters));
    const drained = await whenCarriedOut(context, parameters.wait_for_events, parameters.timeout);
    const leftMs = Math.max(0, parameters.timeout - (context.clock.monotonicMs() - startedMs));
    // Whatever a wildcard reaches by default: that is all indices.
    const isOfAll = names.length === 0 && parameters.expand_wildcards === undefined;
    const view = (state: ClusterState): HealthView =>
      isOfAll
        ? { state, health: overallHealth(state), allNamesExist: true }
        : viewOf(state, names, options, context.clock.nowMs());
    const holds = condition(parameters);
    const reached = await context.whenState((state) => holds(view(state)), leftMs, context.cancellation);
    if (reached === undefined) context.cancellation.throwIfCancelled();
    const { state, health, allNamesExist } = view(reached ?? context.clusterState());
    const timedOut = reached === undefined || !drained;
    const { level = 'cluster' } = parameters;
    const body = renderHealth(state, allNamesExist ? health : { ...health, status: 'red' }, {
      timedOut,
      indices: level === 'cluster' ? [] : resolveIndices(state, names, options, context.clock.nowMs()),
      level,
      pending: work.tasks,
      distribution: context.settings.values['compatibility.distribution'],
    });
    return answerValue(body, timedOut && !parameters.return_200_for_cluster_health_timeout ? 408 : 200);
  },
});

interface HealthView {
  readonly state: ClusterState;
  readonly health: HealthSummary;
  /** A named index that is missing may still be created: it is waited for. */
  readonly allNamesExist: boolean;
}

function viewOf(state: ClusterState, names: readonly string[], options: IndicesOptions, nowMs: number): HealthView {
  const health = clusterHealth(state, resolveIndices(state, names, options, nowMs));
  return { state, health, allNamesExist: names.length === 0 || exist(state, names, options, nowMs) };
}

function exist(state: ClusterState, names: readonly string[], options: IndicesOptions, nowMs: number): boolean {
  try {
    expandExpressions(state, names, { ...options, ignoreUnavailable: false, allowNoIndices: true }, nowMs, 'indices');
    return true;
  } catch (error) {
    if (error instanceof QuarryError && error.type === 'index_not_found_exception') return false;
    throw error;
  }
}

interface HealthConditions {
  readonly wait_for_status: string | undefined;
  readonly wait_for_nodes: string | undefined;
  readonly wait_for_active_shards: 'all' | number | undefined;
  readonly wait_for_no_initializing_shards: boolean;
  readonly wait_for_no_relocating_shards: boolean;
}

function condition(parameters: HealthConditions): (view: HealthView) => boolean {
  const wanted = parameters.wait_for_status?.toLowerCase() as HealthStatus | undefined;
  const nodes = parameters.wait_for_nodes === undefined ? () => true : parseNodeCount(parameters.wait_for_nodes);
  const active = parameters.wait_for_active_shards ?? 0;
  return ({ state, health, allNamesExist }) =>
    allNamesExist &&
    (wanted === undefined || isAtLeast(health.status, wanted)) &&
    (active === 'all' ? health.unassigned + health.initializing === 0 : health.active >= active) &&
    (!parameters.wait_for_no_initializing_shards || health.initializing === 0) &&
    (!parameters.wait_for_no_relocating_shards || health.relocating === 0) &&
    nodes(state.nodes.size);
}

type Events = 'immediate' | 'urgent' | 'high' | 'normal' | 'low' | 'languid';

/** Whether, in time, the master has carried out what was submitted before and is at least as urgent. */
async function whenCarriedOut(context: ActionContext, events: Events | undefined, timeoutMs: number): Promise<boolean> {
  if (events === undefined) return true;
  const priority = must(
    PRIORITIES.find((each) => each.toLowerCase() === events),
    'priority',
  );
  try {
    await context.coordinator.submit('wait-for-events', { priority }, { timeoutMs });
    return true;
  } catch (error) {
    if (OVERDUE.has(asQuarryError(error).type)) return false;
    throw error;
  }
}

/** No master, or none that came to it. */
const OVERDUE: ReadonlySet<ErrorType> = new Set([
  'master_not_discovered_exception',
  'process_cluster_event_timeout_exception',
]);

interface HealthLayout {
  readonly timedOut: boolean;
  readonly level: 'cluster' | 'indices' | 'shards';
  /** Told of one by one. */
  readonly indices: readonly IndexMetadata[];
  readonly pending: readonly PendingTask[];
  readonly distribution: 'elasticsearch' | 'opensearch';
}

function renderHealth(state: ClusterState, health: HealthSummary, layout: HealthLayout): object {
  const hasMaster = state.masterNodeId !== '';
  const discovered =
    layout.distribution === 'opensearch' ? { discovered_master: hasMaster, discovered_cluster_manager: hasMaster } : {};
  return {
    cluster_name: state.clusterName,
    status: health.status,
    timed_out: layout.timedOut,
    number_of_nodes: state.nodes.size,
    number_of_data_nodes: dataNodes(state).length,
    ...discovered,
    ...renderCounts(health),
    delayed_unassigned_shards: health.delayed,
    number_of_pending_tasks: layout.pending.length,
    number_of_in_flight_fetch: 0,
    task_max_waiting_in_queue_millis: longestWaitMs(layout.pending),
    active_shards_percent_as_number: double(health.activePercent),
    ...(layout.level === 'cluster' ? {} : { indices: renderIndices(state, layout.indices, layout.level) }),
  };
}

function renderIndices(
  state: ClusterState,
  indices: readonly IndexMetadata[],
  level: 'indices' | 'shards',
): JsonObject {
  return Object.fromEntries(
    indices
      .map((index) => indexHealth(state, index))
      .map((each) => [
        each.index.name,
        {
          status: each.status,
          number_of_shards: each.index.numberOfShards,
          number_of_replicas: each.index.numberOfReplicas,
          ...renderCounts(each),
          ...(level === 'shards' ? { shards: renderShards(each) } : {}),
        },
      ]),
  );
}

function renderShards(health: IndexHealth): JsonObject {
  return Object.fromEntries(
    health.shards.map((shard) => [
      String(shard.shard),
      {
        status: shard.status,
        primary_active: shard.primaryActive,
        active_shards: shard.active,
        relocating_shards: shard.relocating,
        initializing_shards: shard.initializing,
        unassigned_shards: shard.unassigned,
        unassigned_primary_shards: shard.unassignedPrimaries,
      },
    ]),
  );
}

function renderCounts(counts: ShardCounts): JsonObject {
  return {
    active_primary_shards: counts.activePrimaries,
    active_shards: counts.active,
    relocating_shards: counts.relocating,
    initializing_shards: counts.initializing,
    unassigned_shards: counts.unassigned,
    unassigned_primary_shards: counts.unassignedPrimaries,
  };
}
