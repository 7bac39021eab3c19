/** The section `indexing_pressure` of a node's statistics, and its sums over nodes. */
import type { PressureBytes, PressureFigures } from '../../../base/indexing-pressure.js';
import { isJsonObject, type JsonObject } from '../../../base/json-value.js';

/** Zeros for a node of an earlier version, which does not tell. */
export function indexingPressure(figures: PressureFigures | undefined, isElasticsearch: boolean): JsonObject {
  const rejections = figures?.rejections;
  return {
    memory: {
      current: bytesOf(figures?.current),
      total: {
        ...bytesOf(figures?.total),
        coordinating_rejections: rejections?.coordinating ?? 0,
        primary_rejections: rejections?.primary ?? 0,
        replica_rejections: rejections?.replica ?? 0,
        ...(isElasticsearch ? { primary_document_rejections: rejections?.primaryDocuments ?? 0 } : {}),
      },
      limit_in_bytes: figures?.limits.coordinatingBytes ?? 0,
    },
  };
}

const NOTHING: PressureBytes = { combined: 0, coordinating: 0, primary: 0, replica: 0 };

function bytesOf({ combined, coordinating, primary, replica } = NOTHING): JsonObject {
  return {
    combined_coordinating_and_primary_in_bytes: combined,
    coordinating_in_bytes: coordinating,
    primary_in_bytes: primary,
    replica_in_bytes: replica,
    all_in_bytes: combined + replica,
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
