/** The section `indexing_pressure` of a node's statistics, and its sums over nodes. */
import type { BreakerFigures } from '../../../base/breakers.js';
import { isJsonObject, type JsonObject } from '../../../base/json-value.js';

/** What requests of clients hold, and those of other nodes, to which documents for primaries and replicas come alike. */
export function indexingPressure(breakers: Readonly<Record<string, BreakerFigures>>): JsonObject {
  const clients = breakers['inflight_requests'] ?? breakers['in_flight_requests'];
  const nodes = breakers['transport_requests'];
  return {
    memory: {
      current: bytesOf(clients?.usedBytes, nodes?.usedBytes),
      total: {
        ...bytesOf(clients?.takenBytes, nodes?.takenBytes),
        coordinating_rejections: clients?.refused ?? 0,
        primary_rejections: nodes?.refused ?? 0,
        replica_rejections: 0,
      },
      limit_in_bytes: clients?.limitBytes ?? 0,
    },
  };
}

function bytesOf(coordinating = 0, primary = 0): JsonObject {
  return {
    combined_coordinating_and_primary_in_bytes: coordinating + primary,
    coordinating_in_bytes: coordinating,
    primary_in_bytes: primary,
    replica_in_bytes: 0,
    all_in_bytes: coordinating + primary,
  };
}

/** The sum of two sections of the same shape. */
export function addFigures(left: JsonObject, right: JsonObject): JsonObject {
  const entries = Object.entries(left).map(([name, value]) => {
    const other = right[name];
    if (isJsonObject(value) && isJsonObject(other)) return [name, addFigures(value, other)] as const;
    return [name, typeof value === 'number' && typeof other === 'number' ? value + other : value] as const;
  });
  return Object.fromEntries(entries);
}
