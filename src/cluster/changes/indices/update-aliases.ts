/** `POST _aliases` and the single-alias endpoints. */
import { illegalArgument } from '../../../base/errors.js';
import { checkAliasFilter } from '../../aliases/alias-filter.js';
import { checkAliases } from '../../aliases/aliases.js';
import { checkBlocks, checkDeletionBlocks } from '../../blocks/blocks.js';
import { parentStream } from '../../data-streams/data-streams.js';
import { checkAliasName } from '../../names/index-name.js';
import type { AliasMetadata, ClusterState, IndexId, IndexMetadata } from '../../state.js';
import { nextState, withIndices, withoutIndices, type Change, type ChangeEnvironment } from '../change.js';
import { withoutBackingIndices } from './backing-indices.js';
import { withTombstones } from './delete-indices.js';
import { findIndex } from '../find-index.js';
import { StreamAliases } from './stream-aliases.js';

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
  const changed = carriedOut(kept, input.actions);
  if (changed === kept && doomed.length === 0) return { state, result: null };
  checkAliases(state, changed);
  const { indices, routing, dataStreams } = changed;
  const tombstones = withTombstones(state.tombstones, doomed, environment.nowMs);
  return { state: nextState(state, { indices, routing, dataStreams, tombstones }, environment), result: null };
}

/** The same object where nothing changes. */
function carriedOut(state: ClusterState, actions: readonly AliasAction[]): ClusterState {
  const ofIndices = new IndexAliases(state);
  const ofStreams = new StreamAliases(state);
  for (const action of actions) {
    switch (action.kind) {
      case 'remove_index':
        break;
      case 'add_to_stream':
        ofStreams.add(action.stream, action.alias, action.metadata);
        break;
      case 'remove_from_stream':
        ofStreams.remove(action.stream, action.alias);
        break;
      case 'add':
        ofIndices.add(action.index, action.alias, action.metadata);
        break;
      case 'remove':
        ofIndices.remove(action.index, action.alias);
    }
  }
  const { dataStreams } = ofStreams;
  const indices = ofIndices.changedIndices();
  if (indices.length === 0 && dataStreams === state.dataStreams) return state;
  return { ...state, indices: withIndices(state, indices), dataStreams };
}

/** What many actions make of the aliases of indices: each index is put together once, when all are done. */
class IndexAliases {
  private readonly state: ClusterState;
  /** All aliases of the indices that change, by name of the index. */
  private readonly changed = new Map<string, Map<string, AliasMetadata>>();

  constructor(state: ClusterState) {
    this.state = state;
  }

  add(id: IndexId, alias: string, metadata: AliasMetadata): void {
    const { state } = this;
    const index = this.find(id);
    refuseBackingIndex(state, index);
    checkAliasName(alias, (name) => state.indices.has(name) || state.dataStreams.has(name));
    checkAliasFilter(alias, metadata);
    const present = this.aliasesOf(index).get(alias);
    if (present !== undefined && JSON.stringify(present) === JSON.stringify(metadata)) return;
    this.change(index).set(alias, metadata);
  }

  remove(id: IndexId, alias: string): void {
    const index = this.find(id);
    if (this.aliasesOf(index).has(alias)) this.change(index).delete(alias);
  }

  /** Each with one version more. */
  changedIndices(): readonly IndexMetadata[] {
    return [...this.changed].flatMap(([name, aliases]) => {
      const index = this.state.indices.get(name);
      if (index === undefined) return [];
      return [{ ...index, aliases, aliasesVersion: index.aliasesVersion + 1, version: index.version + 1 }];
    });
  }

  private find(id: IndexId): IndexMetadata {
    const index = findIndex(this.state, id);
    checkBlocks(index, 'metadata_write');
    return index;
  }

  private aliasesOf({ name, aliases }: IndexMetadata): IndexMetadata['aliases'] {
    return this.changed.get(name) ?? aliases;
  }

  private change(index: IndexMetadata): Map<string, AliasMetadata> {
    const aliases = this.changed.get(index.name) ?? new Map(index.aliases);
    this.changed.set(index.name, aliases);
    return aliases;
  }
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
