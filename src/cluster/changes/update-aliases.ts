/** `POST _aliases` and the single-alias endpoints. */
import { illegalArgument, QuarryError } from '../../base/errors.js';
import { checkAliasFilter } from '../alias-filter.js';
import { aliasTable } from '../aliases.js';
import { checkBlocks, checkDeletionBlocks } from '../blocks.js';
import { parentStream } from '../data-streams.js';
import { checkAliasName } from '../index-name.js';
import type { AliasMetadata, ClusterState, IndexId, IndexMetadata } from '../state.js';
import { nextState, type Change, type ChangeEnvironment } from './change.js';
import { withoutBackingIndices } from './backing-indices.js';
import { withTombstones } from './delete-indices.js';
import { findIndex } from './find-index.js';

export type AliasAction =
  | { readonly kind: 'add'; readonly index: IndexId; readonly alias: string; readonly metadata: AliasMetadata }
  | { readonly kind: 'remove'; readonly index: IndexId; readonly alias: string }
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
  const indices = new Map(state.indices);
  const routing = new Map(state.routing);
  const doomed = removedIndices(state, input.actions);
  const dataStreams = withoutBackingIndices(state, doomed);
  for (const { name } of doomed) {
    indices.delete(name);
    routing.delete(name);
  }
  let changed = doomed.length > 0;
  for (const action of input.actions) {
    if (action.kind === 'remove_index') continue;
    const before = findIndex({ ...state, indices }, action.index);
    checkBlocks(before, 'metadata_write');
    if (action.kind === 'add') {
      refuseBackingIndex(state, action.index);
      checkAliasName(action.alias, (name) => indices.has(name) || dataStreams.has(name));
      checkAliasFilter(action.alias, action.metadata);
    }
    const after =
      action.kind === 'add' ? withAlias(before, action.alias, action.metadata) : without(before, action.alias);
    if (after === before) continue;
    indices.set(after.name, after);
    changed = true;
  }
  if (!changed) return { state, result: null };
  checkOneWriteIndex({ ...state, indices });
  const tombstones = withTombstones(state.tombstones, doomed, environment.nowMs);
  return { state: nextState(state, { indices, routing, dataStreams, tombstones }, environment), result: null };
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
    `The provided index [${name}] is a backing index belonging to data stream [${stream.name}]. Data streams and their ` +
      "backing indices don't support aliases.",
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

function checkOneWriteIndex(state: ClusterState): void {
  for (const [alias, targets] of aliasTable(state)) {
    const writable = targets.filter(({ metadata }) => metadata.isWriteIndex === true);
    if (writable.length <= 1) continue;
    const names = writable.map(({ index }) => index.name).join(',');
    throw new QuarryError('illegal_state_exception', `alias [${alias}] has more than one write index [${names}]`);
  }
}
