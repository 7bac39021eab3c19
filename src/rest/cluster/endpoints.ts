/** The endpoints of the cluster family. */
import type { Endpoint } from '../endpoint.js';
import { allocationExplainEndpoint } from './allocation-explain.js';
import { getClusterSettingsEndpoint } from './get-settings.js';
import { clusterHealthEndpoint } from './health.js';
import { clusterInfoEndpoint } from './nodes/cluster-info.js';
import { hotThreadsEndpoint } from './nodes/hot-threads.js';
import { deleteShutdownEndpoint, getShutdownEndpoint, putShutdownEndpoint } from './node-shutdown.js';
import { nodesStatsEndpoint } from './nodes/nodes-stats.js';
import { nodesInfoEndpoint } from './nodes/nodes.js';
import { pendingTasksEndpoint } from './pending-tasks.js';
import { putClusterSettingsEndpoint } from './put-settings.js';
import { clearRepositoriesMeteringEndpoint, getRepositoriesMeteringEndpoint } from './nodes/repositories-metering.js';
import { clusterRerouteEndpoint } from './reroute.js';
import { clusterStatsEndpoint } from './statistics/cluster-stats.js';
import { remoteInfoEndpoint } from './remote-info.js';
import { reloadSecureSettingsEndpoint } from './nodes/reload-secure-settings.js';
import { nodesUsageEndpoint } from './nodes/nodes-usage.js';
import { clusterStateEndpoint } from './state.js';
import { addVotingExclusionsEndpoint, clearVotingExclusionsEndpoint } from './voting-exclusions.js';

export const CLUSTER_ENDPOINTS: readonly Endpoint[] = [
  addVotingExclusionsEndpoint,
  allocationExplainEndpoint,
  clearVotingExclusionsEndpoint,
  deleteShutdownEndpoint,
  getShutdownEndpoint,
  putShutdownEndpoint,
  clusterHealthEndpoint,
  clusterInfoEndpoint,
  clusterRerouteEndpoint,
  clusterStateEndpoint,
  clearRepositoriesMeteringEndpoint,
  getRepositoriesMeteringEndpoint,
  nodesUsageEndpoint,
  reloadSecureSettingsEndpoint,
  remoteInfoEndpoint,
  clusterStatsEndpoint,
  getClusterSettingsEndpoint,
  hotThreadsEndpoint,
  nodesInfoEndpoint,
  nodesStatsEndpoint,
  pendingTasksEndpoint,
  putClusterSettingsEndpoint,
];
