/** Aliases seen from their side: which indices each stands for. */
import { QuarryError } from '../../base/errors.js';
import { differenceOf, withEntries } from '../../base/shared-map.js';
import { backingIndices, writeIndexOf } from '../data-streams/data-streams.js';
import type { AliasMetadata, ClusterState, DataStream, IndexMetadata } from '../state.js';

export interface AliasTarget {
  readonly index: IndexMetadata;
  readonly metadata: AliasMetadata;
  /** The data stream that the alias names, where the index is one of its. */
  readonly stream?: DataStream;
}

type AliasTable = ReadonlyMap<string, readonly AliasTarget[]>;

interface KnownTable {
  readonly indices: ClusterState['indices'];
  readonly dataStreams: ClusterState['dataStreams'];
  /** Without the aliases of data streams. */
  readonly ofIndices: AliasTable;
  readonly table: AliasTable;
}

type Names = Pick<ClusterState, 'indices' | 'dataStreams'>;

const known = new WeakMap<ClusterState['indices'], KnownTable>();
/** The last one: the next is made of it by what changed. */
let latest: KnownTable = { indices: new Map(), dataStreams: new Map(), ofIndices: new Map(), table: new Map() };

/**
 * Every alias with its indices, in order of their names; those of a data stream stand together, the oldest first. Computed
 * once for each set of indices and streams.
 */
export function aliasTable(state: Names): AliasTable {
  const former = known.get(state.indices);
  if (former?.dataStreams === state.dataStreams) return former.table;
  const ofIndices = former?.ofIndices ?? aliasesOfIndices(latest, state.indices);
  const { indices, dataStreams } = state;
  latest = { indices, dataStreams, ofIndices, table: withStreams(ofIndices, state) };
  known.set(indices, latest);
  return latest.table;
}

function aliasesOfIndices(before: KnownTable, indices: ClusterState['indices']): AliasTable {
  const { put, removed } = differenceOf(before.indices, indices);
  const changed = new Map<string, AliasTarget[]>();
  const changing = (alias: string): AliasTarget[] => {
    const targets = changed.get(alias) ?? [...(before.ofIndices.get(alias) ?? [])];
    changed.set(alias, targets);
    return targets;
  };
  for (const name of [...removed, ...put.map(([each]) => each)]) {
    const after = indices.get(name)?.aliases;
    for (const alias of before.indices.get(name)?.aliases.keys() ?? []) {
      if (after?.has(alias) !== true) removeTarget(changing(alias), name);
    }
  }
  for (const [, index] of put) {
    for (const [alias, metadata] of index.aliases) putTarget(changing(alias), { index, metadata });
  }
  const unused = [...changed].filter(([, targets]) => targets.length === 0).map(([alias]) => alias);
  for (const alias of unused) changed.delete(alias);
  return withEntries(before.ofIndices, changed, unused);
}

function withStreams(ofIndices: AliasTable, state: Names): AliasTable {
  const streams = [...state.dataStreams.values()].filter(({ aliases }) => aliases !== undefined && aliases.size > 0);
  if (streams.length === 0) return ofIndices;
  const table = new Map(ofIndices);
  for (const stream of streams.sort(byName)) {
    for (const [alias, metadata] of stream.aliases ?? []) {
      const targets = backingIndices(state, stream).map((index) => ({ index, metadata, stream }));
      table.set(alias, [...(table.get(alias) ?? []), ...targets]);
    }
  }
  return table;
}

/** Where in the list, which is in order of names, the index stands or would stand. */
function placeOf(targets: readonly AliasTarget[], name: string): number {
  let [from, to] = [0, targets.length];
  while (from < to) {
    const middle = (from + to) >> 1;
    if ((targets[middle]?.index.name ?? '') < name) from = middle + 1;
    else to = middle;
  }
  return from;
}

function putTarget(targets: AliasTarget[], target: AliasTarget): void {
  const { name } = target.index;
  const at = placeOf(targets, name);
  targets.splice(at, targets[at]?.index.name === name ? 1 : 0, target);
}

function removeTarget(targets: AliasTarget[], name: string): void {
  const at = placeOf(targets, name);
  if (targets[at]?.index.name === name) targets.splice(at, 1);
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

/** An alias names data streams or indices, not both, and at most one of them takes its writes. Those of the state before are known to. */
export function checkAliases(before: Names, after: Names): void {
  for (const [alias, targets] of differenceOf(aliasTable(before), aliasTable(after)).put) checkAlias(alias, targets);
}

function checkAlias(alias: string, targets: readonly AliasTarget[]): void {
  const [first] = targets;
  if (targets.some(({ stream }) => (stream === undefined) !== (first?.stream === undefined))) {
    const reason = `data stream alias and indices alias have the same name (${alias})`;
    throw new QuarryError('illegal_state_exception', reason);
  }
  const names = new Set<string>();
  for (const { index, metadata, stream } of targets) {
    if (metadata.isWriteIndex === true) names.add(stream?.name ?? index.name);
  }
  if (names.size <= 1) return;
  const reason = `alias [${alias}] has more than one write index [${[...names].join(',')}]`;
  throw new QuarryError('illegal_state_exception', reason);
}

function byName(left: { readonly name: string }, right: { readonly name: string }): number {
  return left.name < right.name ? -1 : left.name > right.name ? 1 : 0;
}
