/** `PUT _cluster/settings`. */
import { illegalArgument } from '../../base/errors.js';
import type { JsonObject } from '../../base/json-value.js';
import { clusterFacts } from '../allocation/index-facts.js';
import { reroute } from '../allocation/reroute.js';
import { effectiveClusterSettings } from '../settings/effective-cluster-settings.js';
import { ARCHIVED, keysNamed } from '../settings/archived-settings.js';
import { checkClusterSettingsTogether, CLUSTER_SETTINGS } from '../settings/cluster-settings.js';
import { flattenSettings, type FlatSettings, type SettingsUpdate } from '../settings/flat-settings.js';
import { checkSetting, scopeOf } from '../settings/registry.js';
import type { ClusterSettings, ClusterState } from '../state.js';
import { isPattern, patternMatcher } from '../names/wildcard.js';
import { StateDraft } from '../state-draft.js';
import { nextState, type Change, type ChangeEnvironment } from './change.js';
import { adaptAutoExpandedReplicas } from './indices/replica-count.js';
import { withoutDiskBlocks } from './update-disk-blocks.js';

export interface UpdateClusterSettingsInput {
  readonly persistent: JsonObject;
  readonly transient: JsonObject;
}

export function updateClusterSettings(
  state: ClusterState,
  input: UpdateClusterSettingsInput,
  environment: ChangeEnvironment,
): Change<null> {
  const clusterSettings = {
    configured: state.clusterSettings.configured,
    persistent: updated(state.clusterSettings.persistent, flattenSettings(input.persistent), 'persistent'),
    transient: updated(state.clusterSettings.transient, flattenSettings(input.transient), 'transient'),
  };
  const changed =
    clusterSettings.persistent !== state.clusterSettings.persistent ||
    clusterSettings.transient !== state.clusterSettings.transient;
  if (!changed) return { state, result: null };
  checkClusterSettingsTogether(effectiveClusterSettings({ clusterSettings }));
  const draft = new StateDraft({ ...state, clusterSettings });
  if (watchesDisks(state.clusterSettings) && !watchesDisks(clusterSettings)) {
    for (const index of withoutDiskBlocks(state)) draft.putIndex(index);
  }
  adaptAutoExpandedReplicas(draft, environment.nowMs);
  const indices = draft.indices();
  const routing = reroute({ ...draft.base, indices, routing: draft.routing() }, environment);
  return { state: nextState(state, { clusterSettings, indices, routing }, environment), result: null };
}

function watchesDisks(clusterSettings: ClusterSettings): boolean {
  return clusterFacts(effectiveClusterSettings({ clusterSettings })).diskThresholdEnabled;
}

/** The same object when nothing changes. */
function updated(current: FlatSettings, update: SettingsUpdate, kind: 'persistent' | 'transient'): FlatSettings {
  const settings = new Map(current);
  for (const [key, value] of update) {
    if (value === null && (isPattern(key) || key.startsWith(ARCHIVED))) {
      for (const name of keysNamed(CLUSTER_SETTINGS, current, patternMatcher(key))) settings.delete(name);
      continue;
    }
    if (scopeOf(CLUSTER_SETTINGS, key) === undefined) throw illegalArgument(`${kind} setting [${key}], not recognized`);
    checkSetting(CLUSTER_SETTINGS, key, value);
    if (value === null) settings.delete(key);
    else settings.set(key, value);
  }
  const same = settings.size === current.size && [...settings].every(([key, value]) => current.get(key) === value);
  return same ? current : settings;
}
