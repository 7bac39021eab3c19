/** Counts changes of the metadata of the cluster: some who follow it are not concerned by where copies are. */
import type { ClusterState } from '../state.js';

/** Members of the state that are no metadata, as in the reference. */
const OTHERS: ReadonlySet<string> = new Set<keyof ClusterState>([
  'version',
  'metadataVersion',
  'stateUuid',
  'nodes',
  'masterNodeId',
  'routing',
  'snapshotOperations',
]);

/** `after` is what some commands made of `before`, which count as one change. */
export function withMetadataVersion(before: ClusterState, after: ClusterState): ClusterState {
  const isChanged = Object.entries(after).some(
    ([name, value]) => !OTHERS.has(name) && before[name as keyof ClusterState] !== value,
  );
  return isChanged ? { ...after, metadataVersion: before.metadataVersion + 1 } : after;
}
