/** Aliases seen from their side: which indices each stands for. */
import { QuarryError } from '../base/errors.js';
import { backingIndices, writeIndexOf } from './data-streams.js';
import type { AliasMetadata, ClusterState, DataStream, IndexMetadata } from './state.js';

export interface AliasTarget {
  readonly index: IndexMetadata;
  readonly metadata: AliasMetadata;
  /** The data stream that the alias names, where the index is one of its. */
  readonly stream?: DataStream;
}

type AliasTable = ReadonlyMap<string, readonly AliasTarget[]>;

interface CachedTable {
  readonly dataStreams: ClusterState['dataStreams'];
  readonly table: AliasTable;
}

const cache = new WeakMap<ClusterState['indices'], CachedTable>();

/**
 * Every alias with its indices, in order of their names; those of a data stream stand together, the oldest first. Computed
 * once for each set of indices and streams.
 */
export function aliasTable(state: Pick<ClusterState, 'indices' | 'dataStreams'>): AliasTable {
  const known = cache.get(state.indices);
  if (known?.dataStreams === state.dataStreams) return known.table;
  const table = new Map<string, AliasTarget[]>();
  const add = (alias: string, targets: readonly AliasTarget[]): void => {
    const present = table.get(alias);
    if (present === undefined) table.set(alias, [...targets]);
    else present.push(...targets);
  };
  for (const index of [...state.indices.values()].sort(byName)) {
    for (const [alias, metadata] of index.aliases) add(alias, [{ index, metadata }]);
  }
  for (const stream of [...state.dataStreams.values()].sort(byName)) {
    for (const [alias, metadata] of stream.aliases ?? []) {
      add(
        alias,
        backingIndices(state, stream).map((index) => ({ index, metadata, stream })),
      );
    }
  }
  cache.set(state.indices, { dataStreams: state.dataStreams, table });
  return table;
}

/** The index that documents written through the alias go to; undefined when none is designated. */
export function writeTarget(targets: readonly AliasTarget[]): AliasTarget | undefined {
  // The last index of a data stream takes its writes.
  const designated = targets.findLast(({ metadata }) => metadata.isWriteIndex === true);
  if (designated !== undefined) return designated;
  const [only] = targets;
  return targets.length === 1 && only?.stream === undefined && only?.metadata.isWriteIndex !== false ? only : undefined;
}

/** The index that takes what is written to a data stream or an alias. */
export function writeIndexNamed(state: ClusterState, name: string): IndexMetadata | undefined {
  const stream = state.dataStreams.get(name);
  if (stream !== undefined) return writeIndexOf(state, stream);
  return writeTarget(aliasTable(state).get(name) ?? [])?.index;
}

/** An alias names data streams or indices, not both, and at most one of them takes its writes. */
export function checkAliases(state: Pick<ClusterState, 'indices' | 'dataStreams'>): void {
  for (const [alias, targets] of aliasTable(state)) {
    if (new Set(targets.map(({ stream }) => stream === undefined)).size > 1) {
      const reason = `data stream alias and indices alias have the same name (${alias})`;
      throw new QuarryError('illegal_state_exception', reason);
    }
    const writable = targets.filter(({ metadata }) => metadata.isWriteIndex === true);
    const names = new Set(writable.map(({ index, stream }) => stream?.name ?? index.name));
    if (names.size <= 1) continue;
    const reason = `alias [${alias}] has more than one write index [${[...names].join(',')}]`;
    throw new QuarryError('illegal_state_exception', reason);
  }
}

function byName(left: { readonly name: string }, right: { readonly name: string }): number {
  return left.name < right.name ? -1 : left.name > right.name ? 1 : 0;
}
