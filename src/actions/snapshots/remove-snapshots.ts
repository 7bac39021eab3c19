/** Takes snapshots out of a repository, and what no other snapshot needs. Nothing else works in the repository meanwhile. */
import { eachAtOnce } from '../../base/each-at-once.js';
import { newUuid } from '../../base/random.js';
import type { DeleteOperation } from '../../cluster/snapshots/types.js';
import type { FolderRemoval } from '../../repositories/blob-store.js';
import type { RepositoryRoot, RootIndex, ShardGeneration } from '../../repositories/format.js';
import { indexFolder, shardFolder, type Repository } from '../../repositories/repository.js';
import type { ActionContext } from '../context.js';
import { changeRoot } from './change-root.js';
import { newestRoot } from './newest-root.js';
import type { OperationResult } from './run-snapshots.js';

/** Shards whose blobs are looked through at once. */
const SHARDS_AT_ONCE = 8;

/** Only what the new root does not lead to is removed, and only after it was written. */
export async function removeSnapshots(context: ActionContext, operation: DeleteOperation): Promise<OperationResult> {
  const { repository, root } = await newestRoot(context, operation.repository);
  repository.checkWritable();
  const gone = new Set(operation.snapshots.map(({ uuid }) => uuid));
  const isThere = root.snapshots.some(({ uuid }) => gone.has(uuid));
  const touched = root.indices.filter(({ snapshots }) => Object.keys(snapshots).some((uuid) => gone.has(uuid)));
  const swept = new Set([...touched.map(({ id }) => id), ...(operation.sweep === 'all' ? [] : operation.sweep)]);
  let newest = root;
  if (isThere) {
    const generations = await rewriteShards(context, repository, touched, gone);
    newest = await changeRoot(context, operation, (former) => without(former, gone, generations));
  }
  const ids = operation.sweep === 'all' ? newest.indices.map(({ id }) => id) : [...swept];
  if (operation.sweep === 'all') await repository.store.removeUnfinished();
  const removed = await sweep(context, repository, newest, new Set(ids));
  return { outcome: removed, generation: newest.generation };
}

/** By index and shard the generation without these snapshots; empty where nothing is left. */
async function rewriteShards(
  context: ActionContext,
  repository: Repository,
  indices: readonly RootIndex[],
  gone: ReadonlySet<string>,
): Promise<ReadonlyMap<string, string>> {
  const generations = new Map<string, string>();
  const shards = indices
    .filter(({ snapshots }) => Object.keys(snapshots).some((uuid) => !gone.has(uuid)))
    .flatMap(({ id, shards: known }) => known.map((generation, shard) => ({ id, shard, generation })));
  await eachAtOnce(shards, SHARDS_AT_ONCE, async ({ id, shard, generation }) => {
    if (generation === '') return;
    const former = await repository.shard(id, shard, generation);
    const kept = Object.fromEntries(Object.entries(former).filter(([uuid]) => !gone.has(uuid)));
    if (Object.keys(kept).length === Object.keys(former).length) return;
    const next = Object.keys(kept).length === 0 ? '' : newUuid(context.random);
    if (next !== '') await repository.writeShard(id, shard, next, kept);
    generations.set(shardFolder(id, shard), next);
  });
  return generations;
}

function without(
  root: RepositoryRoot,
  gone: ReadonlySet<string>,
  generations: ReadonlyMap<string, string>,
): Pick<RepositoryRoot, 'snapshots' | 'indices'> {
  const indices = root.indices.flatMap((index) => {
    const kept = Object.entries(index.snapshots).filter(([uuid]) => !gone.has(uuid));
    if (kept.length === 0) return [];
    const shards = index.shards.map((former, shard) => generations.get(shardFolder(index.id, shard)) ?? former);
    return [{ ...index, snapshots: Object.fromEntries(kept), shards }];
  });
  return { snapshots: root.snapshots.filter(({ uuid }) => !gone.has(uuid)), indices };
}

/** Removes what the root does not lead to: of the indices of these ids, of indices that it does not know, of snapshots. */
async function sweep(
  context: ActionContext,
  repository: Repository,
  root: RepositoryRoot,
  ids: ReadonlySet<string>,
): Promise<FolderRemoval> {
  const { store } = repository;
  const known = new Set(root.indices.map(({ id }) => id));
  const removals: FolderRemoval[] = [];
  const { blobs } = await store.list('');
  const uuids = new Set(root.snapshots.map(({ uuid }) => uuid));
  const isStale = (name: string): boolean => {
    const uuid = /^(?:snapshot|metadata)-(.+)$/.exec(name)?.[1];
    return uuid !== undefined && !uuids.has(uuid);
  };
  removals.push(await removeBlobs(repository, '', blobs, isStale));
  const { folders } = await store.list('indices');
  for (const id of folders.filter((folder) => !known.has(folder))) {
    context.cancellation.throwIfCancelled();
    removals.push(await store.removeFolder(indexFolder(id)));
  }
  for (const index of root.indices.filter(({ id }) => ids.has(id))) {
    const metadata = new Set(Object.values(index.snapshots));
    const listing = await store.list(indexFolder(index.id));
    removals.push(await removeBlobs(repository, indexFolder(index.id), listing.blobs, (name) => !metadata.has(name)));
    await eachAtOnce(listing.folders, SHARDS_AT_ONCE, async (folder) => {
      context.cancellation.throwIfCancelled();
      removals.push(await sweepShard(repository, index, Number(folder)));
    });
  }
  return removals.reduce((sum, { blobs: count, bytes }) => ({ blobs: sum.blobs + count, bytes: sum.bytes + bytes }));
}

async function sweepShard(repository: Repository, index: RootIndex, shard: number): Promise<FolderRemoval> {
  const generation = index.shards[shard] ?? '';
  const entries = await repository.shard(index.id, shard, generation);
  const needed = neededBlobs(repository, generation, entries);
  const folder = shardFolder(index.id, shard);
  const { blobs } = await repository.store.list(folder);
  return removeBlobs(repository, folder, blobs, (name) => !needed.has(name));
}

function neededBlobs(repository: Repository, generation: string, entries: ShardGeneration): ReadonlySet<string> {
  const needed = new Set([`shard-${generation}`]);
  for (const [uuid, { files }] of Object.entries(entries)) {
    needed.add(`segments-${uuid}`);
    for (const file of files) for (const blob of repository.blobsOf(file)) needed.add(blob);
  }
  return needed;
}

async function removeBlobs(
  { store }: Repository,
  folder: string,
  blobs: ReadonlyMap<string, number>,
  isStale: (name: string) => boolean,
): Promise<FolderRemoval> {
  const stale = [...blobs].filter(([name]) => isStale(name));
  await store.remove(stale.map(([name]) => (folder === '' ? name : `${folder}/${name}`)));
  return { blobs: stale.length, bytes: stale.reduce((sum, [, size]) => sum + size, 0) };
}
