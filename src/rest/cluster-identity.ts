/** What answers call the cluster. */
import type { JsonObject } from '../base/json-value.js';
import type { ClusterState } from '../cluster/state.js';

/** As long as the node knows no cluster; clients take it for that. */
const NO_UUID = '_na_';

export function clusterUuidOf({ clusterUuid }: ClusterState): string {
  return clusterUuid === '' ? NO_UUID : clusterUuid;
}

export function clusterIdentity(state: ClusterState): JsonObject {
  return { cluster_name: state.clusterName, cluster_uuid: clusterUuidOf(state) };
}
