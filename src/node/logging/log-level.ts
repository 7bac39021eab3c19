/** Which lines go to the log: what the cluster says of a logger, else what the node was configured with. */
import { loggerOfSetting, parseLogLevel, type LogLevel, type LogLevels } from '../../base/logger.js';
import type { NodeSettings } from '../../base/node-settings.js';
import { effectiveClusterSettings } from '../../cluster/settings/effective-cluster-settings.js';
import type { FlatSettings } from '../../cluster/settings/flat-settings.js';
import type { ClusterState } from '../../cluster/state.js';

const PREFIX = 'logger.';

/** Each state asks; the settings are seldom others. */
const known = new WeakMap<FlatSettings, LogLevels>();

/** The same object for the same settings. */
export function logLevels(state: ClusterState, settings: NodeSettings): LogLevels {
  const ofCluster = effectiveClusterSettings(state);
  let levels = known.get(ofCluster);
  if (levels === undefined) {
    levels = new Map([...configuredLevels(settings), ...levelsIn(ofCluster)]);
    known.set(ofCluster, levels);
  }
  return levels;
}

/** Of the configuration file alone. */
export function configuredLevels({ values, loggers }: NodeSettings): LogLevels {
  return new Map<string, LogLevel>([['', values['logger.level']], ...Object.entries(loggers)]);
}

function levelsIn(settings: FlatSettings): LogLevels {
  const levels = new Map<string, LogLevel>();
  for (const [key, value] of settings) {
    if (key.startsWith(PREFIX) && typeof value === 'string') levels.set(loggerOfSetting(key), parseLogLevel(value));
  }
  return levels;
}
