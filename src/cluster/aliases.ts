/** Aliases seen from their side: which indices each stands for. */
import type { AliasMetadata, ClusterState, IndexMetadata } from './state.js';

export interface AliasTarget {
  readonly index: IndexMetadata;
  readonly metadata: AliasMetadata;
}

const cache = new WeakMap<ClusterState['indices'], ReadonlyMap<string, readonly AliasTarget[]>>();

/** Every alias with its indices, in order of their names. Computed once for each set of indices. */
export function aliasTable(state: ClusterState): ReadonlyMap<string, readonly AliasTarget[]> {
  const known = cache.get(state.indices);
  if (known !== undefined) return known;
  const table = new Map<string, AliasTarget[]>();
  for (const index of [...state.indices.values()].sort(byName)) {
    for (const [alias, metadata] of index.aliases) {
      const targets = table.get(alias);
      if (targets === undefined) table.set(alias, [{ index, metadata }]);
      else targets.push({ index, metadata });
    }
  }
  cache.set(state.indices, table);
  return table;
}

/** The index that documents written through the alias go to; undefined when none is designated. */
export function writeTarget(targets: readonly AliasTarget[]): AliasTarget | undefined {
  const designated = targets.find(({ metadata }) => metadata.isWriteIndex === true);
  if (designated !== undefined) return designated;
  return targets.length === 1 && targets[0]?.metadata.isWriteIndex !== false ? targets[0] : undefined;
}

function byName(left: IndexMetadata, right: IndexMetadata): number {
  return left.name < right.name ? -1 : left.name > right.name ? 1 : 0;
}
