/** What changes of the cluster state took, as the statistics of a node show it. */
import type { JsonObject } from '../../../base/json-value.js';
import { formatTime } from '../../../base/units.js';
import type { NodeRecord } from '../../../cluster/state.js';
import type { ChangedFigures, UnchangedFigures, UpdateFigures } from '../../../coordinator/update-figures.js';

export function renderStateUpdates(
  { unchanged, success, failure, appliers }: UpdateFigures,
  node: NodeRecord,
  isHuman: boolean,
): JsonObject {
  const print = (name: string, ms: number): JsonObject => {
    const millis = Math.round(ms);
    return { ...(isHuman ? { [name]: formatTime(millis) } : {}), [`${name}_millis`]: millis };
  };
  const short = ({ count, computationMs, notificationMs }: UnchangedFigures): JsonObject => ({
    count,
    ...print('computation_time', computationMs),
    ...print('notification_time', notificationMs),
  });
  const long = (figures: ChangedFigures): JsonObject => ({
    count: figures.count,
    ...print('computation_time', figures.computationMs),
    ...print('publication_time', figures.publicationMs),
    ...print('context_construction_time', figures.contextConstructionMs),
    ...print('commit_time', figures.commitMs),
    ...print('completion_time', figures.completionMs),
    ...print('master_apply_time', figures.masterApplyMs),
    ...print('notification_time', figures.notificationMs),
  });
  const updates = { unchanged: short(unchanged), success: long(success), failure: long(failure) };
  const recordings = appliers.map(({ name, count, timeMs }) => ({
    name,
    cumulative_execution_count: count,
    ...print('cumulative_execution_time', timeMs),
  }));
  return {
    // Others are never the master, whose changes these are.
    ...(node.roles.includes('master') ? { cluster_state_update: updates } : {}),
    cluster_applier_stats: { recordings },
  };
}
