/** `POST _dangling/{uuid}`: an index of which nodes have files, and which the cluster does not know, becomes one of its own again. */
import { illegalArgument } from '../../../base/errors.js';
import { aliasTable } from '../../aliases/aliases.js';
import { reroute } from '../../allocation/reroute.js';
import { checkIndexName } from '../../names/index-name.js';
import { unassignedRouting } from '../../copies/shard-copies.js';
import { checkShardLimit } from '../../shard-limit.js';
import type { AliasMetadata, ClusterState, IndexMetadata } from '../../state.js';
import { nextState, withIndices, withRouting, type Change, type ChangeEnvironment } from '../change.js';
import { checkNameIsFree, INDEX_FORMAT_VERSION } from './new-index.js';

export interface ImportIndexInput {
  /** As nodes wrote it down. Its copies come back from stores of the in-sync copies that it names. */
  readonly index: IndexMetadata;
}

export function importIndex(
  state: ClusterState,
  input: ImportIndexInput,
  environment: ChangeEnvironment,
): Change<null> {
  const { name, numberOfShards, numberOfReplicas } = input.index;
  checkIndexName(name);
  checkIsUnknown(state, input.index);
  checkFormat(input.index);
  const isOpen = input.index.state === 'open';
  if (isOpen) checkShardLimit(state, numberOfShards * (1 + numberOfReplicas));
  const index: IndexMetadata = {
    ...input.index,
    version: input.index.version + 1,
    aliases: aliasesOf(state, input.index),
    // Whoever may still be primary under an older term is none any more.
    primaryTerms: input.index.primaryTerms.map((term) => term + 1),
  };
  const indices = withIndices(state, [index]);
  const routing = withRouting(state, [unassignedRouting(index, 'DANGLING_INDEX_IMPORTED', environment.nowMs)]);
  const allocated = reroute({ ...state, indices, routing }, environment);
  return { state: nextState(state, { indices, routing: allocated }, environment), result: null };
}

function checkIsUnknown(state: ClusterState, { name, uuid }: IndexMetadata): void {
  checkNameIsFree(state, name);
  if (!state.tombstones.has(uuid)) return;
  throw illegalArgument(`index [${name}/${uuid}] was deleted, and its files are about to go`);
}

function checkFormat({ name, settings }: IndexMetadata): void {
  const version = String(settings.get('index.version.created') ?? '');
  if (Number(version) <= Number(INDEX_FORMAT_VERSION)) return;
  throw illegalArgument(`index [${name}] was made by a newer version [${version}] than [${INDEX_FORMAT_VERSION}]`);
}

/** Names that are indices, data streams or aliases of these by now are left out, and an alias that has an index to write to keeps that. */
function aliasesOf(state: ClusterState, { aliases }: IndexMetadata): ReadonlyMap<string, AliasMetadata> {
  const known = aliasTable(state);
  const isOfStreams = (alias: string): boolean => known.get(alias)?.some(({ stream }) => stream !== undefined) === true;
  return new Map(
    [...aliases]
      .filter(([alias]) => !state.indices.has(alias) && !state.dataStreams.has(alias) && !isOfStreams(alias))
      .map(([alias, metadata]) => {
        const isTaken = known.get(alias)?.some((target) => target.metadata.isWriteIndex === true) === true;
        return [alias, isTaken ? { ...metadata, isWriteIndex: false } : metadata] as const;
      }),
  );
}
