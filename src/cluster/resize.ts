/** Which shards of another index a new one is made of: one that is shrunk, split or cloned. */
import { illegalArgument, QuarryError } from '../base/errors.js';
import { indexSetting } from './settings/index-values.js';
import { recoverySourceOf } from './copies/shard-copies.js';
import type { IndexId, IndexMetadata, ShardCopy } from './state.js';

export type ResizeKind = 'shrink' | 'split' | 'clone';

/** The index that this one was made of; undefined for most. */
export function resizeSource(index: Pick<IndexMetadata, 'settings'>): IndexId | undefined {
  const uuid = indexSetting(index, 'resizeSourceUuid');
  const name = indexSetting(index, 'resizeSourceName');
  return uuid === undefined || name === undefined ? undefined : { name, uuid };
}

/** Of a primary that is to be made of its source; one that was forced to be empty is not. */
export function sourceOfCopy(index: IndexMetadata, copy: ShardCopy): IndexId | undefined {
  return recoverySourceOf(index, copy) === 'LOCAL_SHARDS' ? resizeSource(index) : undefined;
}

/** Numbers of the shards of the source that the shard is made of; both numbers of shards fit each other. */
export function sourceShards(source: number, target: number, shard: number): readonly number[] {
  if (target >= source) return [Math.floor(shard / (target / source))];
  const factor = source / target;
  return Array.from({ length: factor }, (_, at) => shard * factor + at);
}

/** Throws what is wrong with a number of shards, in the API's words. */
export function checkShardNumbers(kind: ResizeKind, source: IndexMetadata, target: number): void {
  const { numberOfShards, routingNumShards } = source;
  if (kind === 'clone' && numberOfShards !== target) {
    throw illegalArgument(
      `the number of target shards (${target}) must be the same as the number of  source shards ( ${numberOfShards})`,
    );
  }
  if (kind === 'shrink' && numberOfShards < target) {
    throw illegalArgument(
      `the number of target shards [${target}] must be less that the number of source shards [${numberOfShards}]`,
    );
  }
  checkFactor(numberOfShards, target);
  if (kind !== 'split') return;
  if (numberOfShards > target) {
    throw illegalArgument(
      `the number of source shards [${numberOfShards}] must be less that the number of target shards [${target}]`,
    );
  }
  // One shard may become any number of them.
  if (numberOfShards === 1 || routingNumShards % target === 0) return;
  throw new QuarryError(
    'illegal_state_exception',
    `the number of routing shards [${routingNumShards}] must be a multiple of the target shards [${target}]`,
  );
}

function checkFactor(source: number, target: number): void {
  if (source < target && target % source !== 0) {
    throw illegalArgument(`the number of source shards [${source}] must be a factor of [${target}]`);
  }
  if (source > target && source % target !== 0) {
    throw illegalArgument(`the number of source shards [${source}] must be a multiple of [${target}]`);
  }
}

/** What the kernels take into one shard: nested documents count, and deleted ones until a merge leaves them out. */
const SHARD_DOCUMENTS_MAX = 2_147_483_519;

/** What a shard tells of its documents. */
export interface ShardDocuments {
  readonly documents: number;
  readonly deleted: number;
  /** Nested ones too. Nodes of earlier versions do not tell it. */
  readonly heldDocuments?: number;
}

/** Throws where a shard of the target would be made of more documents than one may hold. `shards`: those of the source. */
export function checkDocumentsFit(
  source: IndexMetadata,
  target: number,
  shards: ReadonlyMap<number, ShardDocuments>,
): void {
  for (let shard = 0; shard < target; shard++) {
    const numbers = sourceShards(source.numberOfShards, target, shard);
    const count = numbers.reduce((sum, number) => sum + heldBy(shards.get(number)), 0);
    if (count <= SHARD_DOCUMENTS_MAX) continue;
    const list = numbers.map((number) => `[${source.name}][${number}]`).join(', ');
    throw new QuarryError(
      'illegal_state_exception',
      `Can't merge index with more than [${SHARD_DOCUMENTS_MAX}] docs - too many documents in shards [${list}]`,
    );
  }
}

function heldBy(shard: ShardDocuments | undefined): number {
  return shard === undefined ? 0 : (shard.heldDocuments ?? shard.documents + shard.deleted);
}

/** The least number of shards that the source can be shrunk to without one larger than the maximum. */
export function shardsForSize(source: number, bytes: number, maxShardBytes: number): number {
  const wanted = Math.min(source, Math.max(1, Math.ceil(bytes / maxShardBytes)));
  for (let count = wanted; count < source; count++) if (source % count === 0) return count;
  return source;
}
