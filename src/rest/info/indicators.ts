/** What is wrong with the cluster, by indicator, in sentences. */
import type { ActionContext } from '../../actions/context.js';
import { askNodes } from '../../actions/nodes/ask-nodes.js';
import { QuarryError } from '../../base/errors.js';
import type { JsonObject } from '../../base/json-value.js';
import type { DiskInfo } from '../../cluster/disks/cluster-info.js';
import { dataNodes } from '../../cluster/nodes/data-nodes.js';
import { shardCapacity } from '../../cluster/shard-limit.js';
import { diskHealth } from './health/disk.js';
import { shardsAvailability } from './health/shards.js';
import { worstOf, type Diagnosis, type Finding, type HealthView } from './finding.js';
import { slm } from './snapshot-health.js';

type Indicator = (view: HealthView) => Finding;

/** So few shards before the limit are worth a word. */
const CAPACITY = { yellow: 10, red: 5 };

const INDICATORS: Readonly<Record<string, Indicator>> = {
  master_is_stable: masterIsStable,
  shards_availability: shardsAvailability,
  disk: diskHealth,
  shards_capacity: shardsCapacity,
  ilm,
  slm: ({ state, namesMax, nowMs }) => slm(state, namesMax, nowMs),
};

export interface WantedReport {
  /** One indicator alone. */
  readonly feature: string | undefined;
  readonly namesMax: number;
  readonly isVerbose: boolean;
  readonly timeoutMs: number;
}

export async function healthReport(wanted: WantedReport, context: ActionContext): Promise<JsonObject> {
  const { feature, namesMax, isVerbose, timeoutMs } = wanted;
  const state = context.clusterState();
  const indicatorsWanted = chosen(feature);
  const disks = indicatorsWanted.some(([name]) => name === 'disk')
    ? await disksOf(context, timeoutMs)
    : new Map<string, DiskInfo>();
  const view: HealthView = { state, namesMax, nowMs: context.clock.nowMs(), disks };
  const found = indicatorsWanted.map(([name, indicator]) => [name, indicator(view)] as const);
  const indicators = Object.fromEntries(found.map(([name, each]) => [name, render(name, each, isVerbose)]));
  const report = { cluster_name: state.clusterName, indicators };
  return feature === undefined ? { status: worstOf(found.map(([, { status }]) => status)), ...report } : report;
}

function chosen(name: string | undefined): readonly (readonly [string, Indicator])[] {
  if (name === undefined) return Object.entries(INDICATORS);
  const indicator = Object.hasOwn(INDICATORS, name) ? INDICATORS[name] : undefined;
  if (indicator === undefined) {
    throw new QuarryError('resource_not_found_exception', `Did not find indicator [${name}]`);
  }
  return [[name, indicator]];
}

function render(indicator: string, finding: Finding, isVerbose: boolean): JsonObject {
  const { status, symptom, details, impacts = [], diagnoses = [] } = finding;
  const rendered = impacts.map(({ id, severity, description, areas }) => ({
    ...{ id, severity, description },
    impact_areas: areas,
  }));
  return {
    ...{ status, symptom },
    ...(isVerbose ? { details } : {}),
    ...(impacts.length > 0 ? { impacts: rendered } : {}),
    ...(isVerbose && diagnoses.length > 0
      ? { diagnosis: diagnoses.map((diagnosis) => renderDiagnosis(indicator, diagnosis)) }
      : {}),
  };
}

function renderDiagnosis(indicator: string, { id, cause, action, helpUrl, indices, nodes }: Diagnosis): JsonObject {
  return {
    id: `elasticsearch:health:${indicator}:diagnosis:${id}`,
    cause,
    action,
    help_url: helpUrl,
    affected_resources: {
      ...(indices === undefined ? {} : { indices: [...indices] }),
      ...(nodes === undefined ? {} : { nodes: nodes.map((node) => ({ ...node })) }),
    },
  };
}

/** By node id, of those that hold data and tell. */
async function disksOf(context: ActionContext, timeoutMs: number): Promise<ReadonlyMap<string, DiskInfo>> {
  const { answers } = await askNodes(context, dataNodes(context.clusterState()), 'node-facts', null, timeoutMs);
  return new Map(
    answers.flatMap(({ node, output: { disk: found } }) =>
      found === null
        ? []
        : [[node.id, { path: '', totalBytes: found.totalBytes, freeBytes: found.availableBytes }] as const],
    ),
  );
}

function masterIsStable({ state }: HealthView): Finding {
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
      diagnoses: [
        {
          id: 'no_master',
          cause:
            'This node hears of no elected master: too few master-eligible nodes run, or they do not reach each other.',
          action:
            'Start the master-eligible nodes, and look at their logs for what they wait for. Compare [discovery.seed_hosts] ' +
            'with the addresses that GET /_nodes/transport shows.',
          helpUrl: 'docs/cluster-state.md',
        },
      ],
    };
  }
  const node = { node_id: master.id, name: master.name };
  const details = { current_master: node, recent_masters: [node] };
  return { status: 'green', symptom: 'The cluster has a stable master node', details };
}

function shardsCapacity({ state }: HealthView): Finding {
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
    diagnoses: [
      {
        id: 'increase_max_shards_per_node',
        cause: `[${used}] of [${limit}] shards are open.`,
        action:
          'Delete indices that nobody needs, shrink those with many small shards, or add data nodes. Raise ' +
          '[cluster.max_shards_per_node] in PUT /_cluster/settings only if the nodes have memory for more.',
        helpUrl: 'docs/allocation.md',
      },
    ],
  };
}

function ilm({ state, namesMax }: HealthView): Finding {
  const stuck = [...state.indices.values()].filter(({ lifecycle }) => lifecycle?.failure !== undefined);
  const failing = stuck.length;
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
    const diagnosis = {
      id: 'ilm_disabled',
      cause: 'Index lifecycle management was stopped.',
      action: 'Start it: POST /_ilm/start.',
      helpUrl: 'docs/indices.md',
    };
    const symptom = 'Index Lifecycle Management is not running';
    return { status: 'yellow', symptom, details, impacts: [impact], diagnoses: [diagnosis] };
  }
  if (failing > 0) {
    const symptom = `${failing} ${failing === 1 ? 'index fails' : 'indices fail'} at an action of its policy.`;
    const diagnosis = {
      id: 'stagnating_action',
      cause: 'An action of the policy fails each time that it is tried.',
      action: 'See why: GET /<index>/_ilm/explain. It is tried again by itself once that is mended.',
      helpUrl: 'docs/indices.md',
      indices: stuck.slice(0, namesMax).map(({ name }) => name),
    };
    return { status: 'yellow', symptom, details, impacts: [impact], diagnoses: [diagnosis] };
  }
  return { status: 'green', symptom: 'Index Lifecycle Management is running', details };
}
