/**
 * What is counted of all indices, kept up by what changes: a change of the state that touches one index costs as much with ten thousand of
 * them as with ten.
 */
import { differenceOf } from '../../base/shared-map.js';
import type { ClusterState, IndexMetadata, IndexRouting } from '../state.js';

/** The parts of a state that tell of indices. */
export type IndexTables = Pick<ClusterState, 'indices' | 'routing'>;

/** An index and the places of its shards. */
export interface PlacedIndex {
  readonly index: IndexMetadata;
  readonly table: IndexRouting;
}

export const NO_INDICES: IndexTables = { indices: new Map(), routing: new Map() };

/** Names of indices that are new, gone, or not the same in both; also where only their shards are not. */
export function changedIndices(before: IndexTables, after: IndexTables): ReadonlySet<string> {
  const names = new Set<string>();
  for (const part of ['indices', 'routing'] as const) {
    const { put, removed } = differenceOf<unknown>(before[part], after[part]);
    for (const [name] of put) names.add(name);
    for (const name of removed) names.add(name);
  }
  return names;
}

/** Undefined where the index is not there with both. */
export function placedIndex(tables: IndexTables, name: string): PlacedIndex | undefined {
  const index = tables.indices.get(name);
  const table = tables.routing.get(name);
  return index === undefined || table === undefined ? undefined : { index, table };
}

/** The index is there, or with `sign` -1 is no more. What is counted must not depend on anything else. */
export type CountIndex = (placed: PlacedIndex, sign: 1 | -1) => void;

export class IndexTally {
  private readonly count: CountIndex;
  private counted: IndexTables = NO_INDICES;

  constructor(count: CountIndex) {
    this.count = count;
  }

  /** Counts what this state has, be it newer or older than the last one. */
  follow(tables: IndexTables): void {
    const { counted } = this;
    if (counted.indices === tables.indices && counted.routing === tables.routing) return;
    for (const name of changedIndices(counted, tables)) {
      const before = placedIndex(counted, name);
      const after = placedIndex(tables, name);
      if (before !== undefined) this.count(before, -1);
      if (after !== undefined) this.count(after, 1);
    }
    this.counted = { indices: tables.indices, routing: tables.routing };
  }
}
