/** `GET _cat/health`. */
import { overallHealth, type HealthSummary } from '../../cluster/health.js';
import type { ClusterState } from '../../cluster/state.js';
import { dataNodes } from '../../cluster/nodes/data-nodes.js';
import type { PendingTask } from '../../coordinator/pending-tasks.js';
import { defineEndpoint } from '../endpoint.js';
import { masterTimeoutMs } from '../indices/index-names.js';
import { booleanParameter, timeParameter } from '../parameters.js';
import { longestWaitMs, levelWithMaster } from '../cluster/master-work.js';
import { answerTable, catParameters, column, type CellValue, type Column } from './table.js';

interface Row {
  readonly state: ClusterState;
  readonly health: HealthSummary;
  readonly pending: readonly PendingTask[];
  readonly nowMs: number;
}

function longestWait({ pending }: Row): CellValue {
  return pending.length === 0 ? '-' : { millis: longestWaitMs(pending) };
}

const right = (aliases: string): { aliases: string; align: 'right' } => ({ aliases, align: 'right' });

export const TIME_COLUMNS: readonly Column<{ readonly nowMs: number }>[] = [
  column('epoch', 'seconds since 1970', (row) => Math.floor(row.nowMs / 1000), { aliases: 't,time' }),
  column('timestamp', 'time of day, UTC', (row) => new Date(row.nowMs).toISOString().slice(11, 19), {
    aliases: 'ts,hms,hhmmss',
  }),
];

const COLUMNS: readonly Column<Row>[] = [
  ...TIME_COLUMNS,
  column('cluster', 'name of the cluster', (row) => row.state.clusterName, { aliases: 'cl' }),
  column('status', 'green, yellow or red', (row) => row.health.status, { aliases: 'st' }),
  column('node.total', 'nodes', (row) => row.state.nodes.size, right('nt,nodeTotal')),
  column('node.data', 'nodes that hold data', (row) => dataNodes(row.state).length, right('nd,nodeData')),
  column('discovered_cluster_manager', 'whether a node leads the cluster', (row) => row.state.masterNodeId !== '', {
    ...right('dcm,dm,discovered_master,discoveredMaster'),
  }),
  column('shards', 'shard copies in use', (row) => row.health.active, right('t,sh,shards.total,shardsTotal')),
  column('pri', 'primaries in use', (row) => row.health.activePrimaries, right('p,shards.primary,shardsPrimary')),
  column('relo', 'copies on the move', (row) => row.health.relocating, right('r,shards.relocating,shardsRelocating')),
  column(
    'init',
    'copies being opened',
    (row) => row.health.initializing,
    right('i,shards.initializing,shardsInitializing'),
  ),
  column(
    'unassign',
    'copies without a node',
    (row) => row.health.unassigned,
    right('u,shards.unassigned,shardsUnassigned'),
  ),
  column(
    'unassign.pri',
    'primaries without a node',
    (row) => row.health.unassignedPrimaries,
    right('up,shards.unassigned.primary'),
  ),
  column('pending_tasks', 'changes that wait to be made', (row) => row.pending.length, right('pt,pendingTasks')),
  column('max_task_wait_time', 'wait of the longest waiting change', longestWait, right('mtwt,maxTaskWaitTime')),
  column(
    'active_shards_percent',
    'share of the copies in use',
    (row) => `${row.health.activePercent.toFixed(1)}%`,
    right('asp,activeShardsPercent'),
  ),
];

/** The two families of tools expect slightly different tables. */
const ONLY_OPENSEARCH = 'discovered_cluster_manager';
const ONLY_ELASTICSEARCH = 'unassign.pri';

export const catHealthEndpoint = defineEndpoint({
  name: 'cat.health',
  action: 'cluster:monitor/health',
  methods: ['GET'],
  paths: ['/_cat/health'],
  parameters: {
    ...catParameters,
    ts: booleanParameter(true),
    local: booleanParameter(false),
    master_timeout: timeParameter(30_000),
    cluster_manager_timeout: timeParameter(30_000),
  },
  body: 'none',
  pool: 'management',
  placement: 'any',
  handle(request, context) {
    const { parameters } = request;
    const isOpenSearch = context.settings.values['compatibility.distribution'] === 'opensearch';
    const absent = isOpenSearch ? ONLY_ELASTICSEARCH : ONLY_OPENSEARCH;
    const known = COLUMNS.filter(({ name }) => name !== absent);
    const columns = parameters.ts
      ? known
      : known.filter((each) => !TIME_COLUMNS.some(({ name }) => name === each.name));
    return answerTable(columns, parameters, request.presentation, async () => {
      const timeoutMs = masterTimeoutMs(parameters, request.sentParameters);
      const { tasks: pending } = await levelWithMaster(context, parameters.local, timeoutMs);
      const state = context.clusterState();
      const health = overallHealth(state);
      return [{ state, health, pending, nowMs: context.clock.nowMs() }];
    });
  },
});
