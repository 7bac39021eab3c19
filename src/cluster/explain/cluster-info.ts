/** What the master knows of disks, as `include_disk_info` of the allocation explain API prints it. */
import type { JsonObject } from '../../base/json-value.js';
import { shardKey, type ClusterInfo, type DiskInfo } from '../disks/cluster-info.js';
import { describeCopy } from '../copies/describe-copy.js';
import { isActive } from '../copies/shard-copies.js';
import type { ClusterState, IndexMetadata, ShardCopy } from '../state.js';

export function renderClusterInfo(state: ClusterState, info: ClusterInfo): JsonObject {
  const nodes = [...info.disks].map(([id, disk]) => {
    const rendered = renderDisk(disk);
    // A node has one data path.
    return [id, { node_name: state.nodes.get(id)?.name ?? id, least_available: rendered, most_available: rendered }];
  });
  const copies = activeCopies(state);
  const sizes = copies.flatMap(({ index: { name, uuid }, copy }) => {
    const bytes = info.copyBytes.get(copy.nodeId ?? '')?.get(shardKey(uuid, copy.shard));
    return bytes === undefined ? [] : [[`[${name}][${copy.shard}][${copy.primary ? 'p' : 'r'}]_bytes`, bytes] as const];
  });
  const dataSets = copies.flatMap(({ index: { name, uuid }, copy }) => {
    const bytes = copy.primary ? info.shardBytes.get(shardKey(uuid, copy.shard)) : undefined;
    return bytes === undefined ? [] : [[`[${name}][${copy.shard}]_bytes`, bytes] as const];
  });
  const paths = copies.flatMap(({ index, copy }) => {
    const path = info.disks.get(copy.nodeId ?? '')?.path;
    return path === undefined ? [] : [[describeCopy(index, copy), path] as const];
  });
  return {
    nodes: Object.fromEntries(nodes) as JsonObject,
    shard_sizes: Object.fromEntries(sizes),
    shard_data_set_sizes: Object.fromEntries(dataSets),
    shard_paths: Object.fromEntries(paths),
    reserved_sizes: [],
  };
}

function renderDisk({ path, totalBytes, freeBytes }: DiskInfo): JsonObject {
  const usedBytes = totalBytes - freeBytes;
  const share = (bytes: number): number => (totalBytes === 0 ? 0 : Math.round((1_000 * bytes) / totalBytes) / 10);
  return {
    path,
    total_bytes: totalBytes,
    used_bytes: usedBytes,
    free_bytes: freeBytes,
    free_disk_percent: share(freeBytes),
    used_disk_percent: share(usedBytes),
  };
}

interface ActiveCopy {
  readonly index: IndexMetadata;
  readonly copy: ShardCopy;
}

function activeCopies({ indices, routing }: ClusterState): readonly ActiveCopy[] {
  return [...indices.values()].flatMap((index) =>
    (routing.get(index.name)?.shards ?? []).flat().flatMap((copy) => (isActive(copy) ? [{ index, copy }] : [])),
  );
}
