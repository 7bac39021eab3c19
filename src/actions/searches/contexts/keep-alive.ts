/** How long scrolls and points in time may be kept, and how many of them. */
import { must } from '../../../base/assert.js';
import { illegalArgument } from '../../../base/errors.js';
import { formatTime, parseTimeMs } from '../../../base/units.js';
import { effectiveClusterSettings } from '../../../cluster/settings/effective-cluster-settings.js';
import { ClusterSettingDefinitions } from '../../../cluster/settings/cluster-settings.js';
import { valueOf, type SettingDefinition } from '../../../cluster/settings/registry.js';
import type { ClusterState } from '../../../cluster/state.js';
import type { ActionContext } from '../../context.js';
import type { CountedContext } from './context-counters.js';
import type { Keep } from './open-searchers.js';
import { ownerOfHeld, sealOf } from './seal.js';

const SETTINGS = {
  scroll: {
    openMax: ClusterSettingDefinitions.maxOpenScrolls,
    keepAliveMax: ClusterSettingDefinitions.maxKeepAlive,
    name: 'search.max_keep_alive',
  },
  pit: {
    openMax: ClusterSettingDefinitions.maxOpenPits,
    keepAliveMax: ClusterSettingDefinitions.maxPitKeepAlive,
    name: 'point_in_time.max_keep_alive',
  },
} as const;

/** For the subject of the request. */
export function keepOf(kind: CountedContext, text: string, context: ActionContext): Keep {
  const state = context.clusterState();
  const openMax = number(SETTINGS[kind].openMax, state);
  return { kind, keepAliveMs: keepAliveMs(kind, text, state), openMax, seal: sealOf(ownerOfHeld(kind, context)) };
}

/** Milliseconds; throws for more than the cluster allows. */
export function keepAliveMs(kind: CountedContext, text: string, state: ClusterState): number {
  const millis = parseTimeMs(text, kind === 'scroll' ? 'scroll' : 'keep_alive');
  const most = number(SETTINGS[kind].keepAliveMax, state);
  if (millis <= most) return Math.max(0, millis);
  throw illegalArgument(
    `Keep alive for request (${formatTime(millis)}) is too large. It must be less than (${formatTime(most)}). This ` +
      `limit can be set by changing the [${SETTINGS[kind].name}] cluster level setting.`,
  );
}

function number(definition: SettingDefinition<number>, state: ClusterState): number {
  return must(valueOf(definition, effectiveClusterSettings(state)), 'the default of a limit on search contexts');
}
