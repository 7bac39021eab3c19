/** The global state of a snapshot in the place of the cluster's own. */
import { withEntries } from '../../base/shared-map.js';
import { checkClusterSettingsTogether } from '../settings/cluster-settings.js';
import { effectiveClusterSettings } from '../settings/effective-cluster-settings.js';
import type { SlmPolicy } from '../slm/types.js';
import type { ClusterState } from '../state.js';
import type { GlobalMetadata } from './global-metadata.js';

/**
 * What a restore makes of it: all of each kind gives way to what the snapshot has, as in the reference, which leaves other legacy templates where they
 * are. Whether the lifecycles run is the cluster's own affair. Throws for settings that contradict each other, or those that stay, as an earlier
 * version may have kept them: each later change of settings would be refused for it.
 */
export function restoredGlobal(state: ClusterState, global: GlobalMetadata): Partial<ClusterState> {
  const { slmPolicies } = global;
  const clusterSettings = { ...state.clusterSettings, persistent: global.persistent };
  checkClusterSettingsTogether(effectiveClusterSettings({ clusterSettings }));
  // One by one: whatever else a repository says has no way into the state.
  return {
    clusterSettings,
    storedScripts: global.storedScripts,
    legacyTemplates: withEntries(state.legacyTemplates, global.legacyTemplates),
    indexTemplates: global.indexTemplates,
    componentTemplates: global.componentTemplates,
    pipelines: global.pipelines,
    lifecyclePolicies: global.lifecyclePolicies,
    ...(slmPolicies === undefined ? {} : { slmPolicies: restoredPolicies(state, slmPolicies) }),
  };
}

/** Snapshots that are under way for a policy of the name stay its own, and no time of the schedule that was used is used again. */
function restoredPolicies(
  { slmPolicies: current }: ClusterState,
  restored: ClusterState['slmPolicies'],
): ClusterState['slmPolicies'] {
  return new Map(
    [...restored].map(([id, policy]): [string, SlmPolicy] => {
      const { lastDueMs = -1, runs } = current.get(id) ?? { runs: new Map() };
      const dueMs = Math.max(lastDueMs, policy.lastDueMs ?? -1);
      return [id, { ...policy, runs, ...(dueMs < 0 ? {} : { lastDueMs: dueMs }) }];
    }),
  );
}
