/** `repositories` of a node's statistics: how long copies of shards waited for the rates of each repository. */
import type { NodeFacts } from '../../../actions/nodes/node-facts.js';
import type { JsonObject } from '../../../base/json-value.js';
import { formatTime, NANOS_PER_MS } from '../../../base/units.js';

/** The other product tells there of requests to stores, which are not counted. */
export function repositoriesSection(
  { repositories = {}, settings }: NodeFacts,
  isHuman: boolean,
): JsonObject | readonly JsonObject[] {
  if (settings.values['compatibility.distribution'] === 'opensearch') return [];
  return Object.fromEntries(
    Object.entries(repositories).map(([name, { read, write }]) => [
      name,
      {
        ...(isHuman
          ? { total_read_throttled_time: formatTime(read), total_write_throttled_time: formatTime(write) }
          : {}),
        total_read_throttled_time_nanos: Math.round(read * NANOS_PER_MS),
        total_write_throttled_time_nanos: Math.round(write * NANOS_PER_MS),
      },
    ]),
  );
}
