/** The cluster state: what every thread agrees on. Immutable; each change makes a new version. */
export interface ClusterState {
  readonly version: number;
  readonly clusterName: string;
  readonly clusterUuid: string;
}
