/** `POST _aliases` and the single-alias endpoints. */
import { illegalArgument } from '../../base/errors.js';
import { checkAliasFilter } from '../alias-filter.js';
import { checkAliases } from '../aliases.js';
import { checkBlocks, checkDeletionBlocks } from '../blocks.js';
import { parentStream } from '../data-streams.js';
import { checkAliasName } from '../index-name.js';
import type { AliasMetadata, ClusterState, IndexId, IndexMetadata } from '../state.js';
import { nextState, withIndices, withoutIndices, type Change, type ChangeEnvironment } from './change.js';
import { withoutBackingIndices } from './backing-indices.js';
import { withTombstones } from './delete-indices.js';
import { findIndex } from './find-index.js';
import { withoutStreamAlias, withStreamAlias } from './stream-aliases.js';

export type AliasAction =
  | { readonly kind: 'add'; readonly index: IndexId; readonly alias: string; readonly metadata: AliasMetadata }
  | { readonly kind: 'remove'; readonly index: IndexId; readonly alias: string }
  | {
      readonly kind: 'add_to_stream';
      readonly stream: string;
      readonly alias: string;
      readonly metadata: AliasMetadata;
    }
  | { readonly kind: 'remove_from_stream'; readonly stream: string; readonly alias: string }
  | { readonly kind: 'remove_index'; readonly index: IndexId };

export interface UpdateAliasesInput {
  /** All are carried out, or none. Removing what is not there changes nothing. */
  readonly actions: readonly AliasAction[];
}

export function updateAliases(
  state: ClusterState,
  input: UpdateAliasesInput,
  environment: ChangeEnvironment,
): Change<null> {
  const doomed = removedIndices(state, input.actions);
  const names = doomed.map(({ name }) => name);
  const kept: ClusterState = {
    ...state,
    ...withoutIndices(state, names),
    dataStreams: withoutBackingIndices(state, doomed),
  };
  const changed = input.actions.reduce(carriedOut, kept);
  if (changed === kept && doomed.length === 0) return { state, result: null };
  checkAliases(state, changed);
  const { indices, routing, dataStreams } = changed;
  const tombstones = withTombstones(state.tombstones, doomed, environment.nowMs);
  return { state: nextState(state, { indices, routing, dataStreams, tombstones }, environment), result: null };
}

/** The same object where nothing changes. */
function carriedOut(state: ClusterState, action: AliasAction): ClusterState {
  switch (action.kind) {
    case 'remove_index':
      return state;
    case 'add_to_stream':
      return withStreamAlias(state, action.stream, action.alias, action.metadata);
    case 'remove_from_stream':
      return withoutStreamAlias(state, action.stream, action.alias);
    case 'add':
    case 'remove': {
      const before = findIndex(state, action.index);
      checkBlocks(before, 'metadata_write');
      const after = action.kind === 'add' ? added(state, before, action) : without(before, action.alias);
      return after === before ? state : { ...state, indices: withIndices(state, [after]) };
    }
  }
}

function added(
  state: ClusterState,
  index: IndexMetadata,
  { alias, metadata }: { readonly alias: string; readonly metadata: AliasMetadata },
): IndexMetadata {
  refuseBackingIndex(state, index);
  checkAliasName(alias, (name) => state.indices.has(name) || state.dataStreams.has(name));
  checkAliasFilter(alias, metadata);
  return withAlias(index, alias, metadata);
}

/** Each once; what a deletion by name would refuse is refused here too. */
function removedIndices(state: ClusterState, actions: readonly AliasAction[]): readonly IndexId[] {
  const named = actions.flatMap((action) => (action.kind === 'remove_index' ? [action.index] : []));
  for (const id of named) checkDeletionBlocks(findIndex(state, id));
  return [...new Map(named.map((id) => [id.uuid, id])).values()];
}

function refuseBackingIndex(state: ClusterState, { name }: IndexId): void {
  const stream = parentStream(state, name);
  if (stream === undefined) return;
  throw illegalArgument(
    `The provided expressions [${name}] match a backing index belonging to data stream [${stream.name}]. ` +
      "Data stream backing indices don't support aliases.",
  );
}

function withAlias(index: IndexMetadata, alias: string, metadata: AliasMetadata): IndexMetadata {
  const present = index.aliases.get(alias);
  if (present !== undefined && JSON.stringify(present) === JSON.stringify(metadata)) return index;
  return changedAliases(index, new Map([...index.aliases, [alias, metadata]]));
}

function without(index: IndexMetadata, alias: string): IndexMetadata {
  if (!index.aliases.has(alias)) return index;
  return changedAliases(index, new Map([...index.aliases].filter(([name]) => name !== alias)));
}

function changedAliases(index: IndexMetadata, aliases: IndexMetadata['aliases']): IndexMetadata {
  return { ...index, aliases, aliasesVersion: index.aliasesVersion + 1, version: index.version + 1 };
}
