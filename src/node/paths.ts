/** Where a node keeps what. */
import { join, resolve } from 'node:path';
import { indicesDirectory } from '../store/layout.js';

export interface NodePaths {
  readonly data: string;
  readonly logs: string;
  /** Id of the node, kept over restarts. */
  readonly nodeId: string;
  /** Version of the software that last ran here. */
  readonly softwareVersion: string;
  /** Directory of what the cluster agreed on. */
  readonly clusterState: string;
  /** Where a version that knew one node only kept it. */
  readonly formerClusterState: string;
  readonly indices: string;
}

export function nodePaths(dataPath: string, logsPath: string): NodePaths {
  const data = resolve(dataPath);
  return {
    data,
    logs: resolve(logsPath),
    nodeId: join(data, 'node-id'),
    softwareVersion: join(data, 'software-version'),
    clusterState: join(data, 'cluster'),
    formerClusterState: join(data, 'cluster-state.json'),
    indices: indicesDirectory(data),
  };
}
