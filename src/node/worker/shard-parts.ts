/** The files that a shard of a resized index is made of: lent by shards of its source on this node. */
import { placeOf } from '../../actions/copy-selection.js';
import { keyOf } from '../../actions/indices/broadcast.js';
import { QuarryError } from '../../base/errors.js';
import { sourceOfCopy, sourceShards } from '../../cluster/resize.js';
import { numberSetting } from '../../cluster/settings/index-values.js';
import { isActive, primaryOf } from '../../cluster/copies/shard-copies.js';
import type { ClusterState, IndexMetadata, ShardCopy } from '../../cluster/state.js';
import type { ShardParts } from '../../native/shard-options.js';
import type { CopyLinkServices } from './copy-links.js';

export interface PartServices {
  readonly clusterState: () => ClusterState;
  readonly onCopy: CopyLinkServices['onCopy'];
}

/**
 * Undefined for a shard that begins empty. The directory of the new shard has to be there.
 *
 * The primary says up to which operation its copies have everything in segments; a copy of the source on this node then
 * lends exactly these.
 */
export async function gatherParts(
  index: IndexMetadata,
  copy: ShardCopy,
  services: PartServices,
): Promise<ShardParts | undefined> {
  const id = sourceOfCopy(index, copy);
  if (id === undefined) return undefined;
  const state = services.clusterState();
  const source = state.indices.get(id.name);
  if (source?.uuid !== id.uuid) throw unusable(id.name, 'it is gone');
  const directories: string[] = [];
  for (const shard of sourceShards(source.numberOfShards, index.numberOfShards, copy.shard)) {
    const copies = state.routing.get(source.name)?.shards[shard] ?? [];
    const primary = primaryOf(copies);
    const here = copies.find((each) => each.nodeId === copy.nodeId && isActive(each));
    const [primaryPlace, place] = [primary, here].map((each) => (each === undefined ? undefined : placeOf(each)));
    if (primaryPlace === undefined || place === undefined) throw unusable(source.name, `[${shard}] has no copy here`);
    const key = keyOf(source, shard);
    const maxSeqNo = await services.onCopy(key, primaryPlace, 'prepare-lending', null);
    const input = { targetUuid: index.uuid, targetShard: copy.shard, maxSeqNo };
    directories.push(await services.onCopy(key, place, 'lend-files', input));
  }
  return index.numberOfShards > source.numberOfShards ? { directories, split: spreadOf(index) } : { directories };
}

function spreadOf(index: IndexMetadata): NonNullable<ShardParts['split']> {
  return {
    shards: index.numberOfShards,
    routingShards: index.routingNumShards,
    partitionSize: numberSetting(index, 'routingPartitionSize'),
  };
}

function unusable(source: string, why: string): QuarryError {
  return new QuarryError('illegal_state_exception', `cannot be made of [${source}]: ${why}`);
}
