/** Which directories of shards a node may remove. Whatever is not surely of no use is kept. */
import type { ShardPlace } from '../../store/layout.js';
import { IndexTally } from './index-tally.js';
import type { ClusterState, IndexMetadata, ShardCopy } from '../state.js';

/** A copy elsewhere that makes a directory superfluous, if it really serves. */
export interface ServingCopy {
  readonly index: string;
  readonly indexUuid: string;
  readonly shard: number;
  readonly allocationId: string;
  readonly nodeId: string;
}

/**
 * - `keep`: it may be all that is left, or it is of an index that nobody here knows.
 * - `remove`: its index was deleted.
 * - otherwise it may be removed once these copies, all that the shard shall have, have said that they serve.
 */
export type Fate = 'keep' | 'remove' | readonly ServingCopy[];

export function fateOf(state: ClusterState, nodeId: string, { indexUuid, shard }: ShardPlace): Fate {
  const index = indexOf(state, indexUuid);
  if (index === undefined) return state.tombstones.has(indexUuid) ? 'remove' : 'keep';
  // The copies of a closed index cannot be asked.
  if (index.state !== 'open') return 'keep';
  const copies = state.routing.get(index.name)?.shards[shard] ?? [];
  if (copies.length === 0 || !copies.every((copy) => isSettledElsewhere(copy, nodeId))) return 'keep';
  return copies.flatMap((copy) =>
    copy.nodeId === null || copy.allocationId === null
      ? []
      : { index: index.name, indexUuid, shard, allocationId: copy.allocationId, nodeId: copy.nodeId },
  );
}

function isSettledElsewhere(copy: ShardCopy, nodeId: string): boolean {
  return copy.state === 'STARTED' && copy.nodeId !== nodeId && copy.allocationId !== null;
}

const byUuid = new Map<string, IndexMetadata>();

const uuidTally = new IndexTally(({ index }, sign) => {
  if (sign === 1) byUuid.set(index.uuid, index);
  else byUuid.delete(index.uuid);
});

function indexOf(state: ClusterState, uuid: string): IndexMetadata | undefined {
  uuidTally.follow(state);
  return byUuid.get(uuid);
}
