/** Takes snapshots out of a repository, and what no other snapshot needs. Nothing else works in the repository meanwhile. */
import { eachAtOnce } from '../../base/each-at-once.js';
import { asQuarryError } from '../../base/error-wire.js';
import { named } from '../../base/logger.js';
import { newUuid } from '../../base/random.js';
import type { DeleteOperation } from '../../cluster/snapshots/types.js';
import type { BlobListing, BlobStore, FolderRemoval } from '../../repositories/blob-store.js';
import type { RepositoryRoot, RootIndex, ShardGeneration } from '../../repositories/format.js';
import { indexFolder, shardBlob, shardFolder, type Repository } from '../../repositories/repository.js';
import type { ActionContext } from '../context.js';
import { changeRoot } from './change-root.js';
import { confirmOperation } from './confirm-operation.js';
import { newestRoot } from './newest-root.js';
import type { OperationResult } from './run-snapshots.js';
import { whenSnapshotsStopped } from './snapshots-stopped.js';

/** Shards whose blobs are looked through at once. */
const SHARDS_AT_ONCE = 8;
/** Blobs that are removed before anybody looks whether that is still wanted. */
const REMOVED_AT_ONCE = 1_000;

/**
 * Only what the new root does not lead to is removed, and only after it was written. A root is always written: a snapshot that somebody
 * is about to enter, who does not know that it was stopped, fails at that. What is removed was found before the operation was confirmed,
 * so that nothing is among it that a later operation brought, and names are not used again. Before all that it is waited for those who
 * still write for a snapshot that was stopped.
 */
export async function removeSnapshots(context: ActionContext, operation: DeleteOperation): Promise<OperationResult> {
  await whenSnapshotsStopped(context, operation.stopped ?? []);
  const { repository, root } = await newestRoot(context, operation.repository);
  repository.checkWritable();
  const gone = new Set(operation.snapshots.map(({ uuid }) => uuid));
  const touched = root.indices.filter(({ snapshots }) => Object.keys(snapshots).some((uuid) => gone.has(uuid)));
  const unread = new Set<string>();
  const generations = await rewriteShards(context, repository, root, touched, gone, unread);
  const newest = await changeRoot(context, operation, (former) => without(former, gone, generations));
  const swept = new Set(operation.sweep === 'all' ? [] : operation.sweep);
  const isSwept = ({ id }: RootIndex): boolean =>
    operation.sweep === 'all' || swept.has(id) || touched.some((index) => index.id === id);
  if (operation.sweep === 'all') await repository.store.removeUnfinished();
  const useless = await findUseless(context, repository, newest, newest.indices.filter(isSwept), unread);
  await confirmOperation(context, operation);
  return { outcome: await remove(context, repository, useless), root: newest };
}

/**
 * By index and shard the generation without these snapshots; empty where nothing is left. Shards whose list cannot be read keep it: a
 * blob that is lost or damaged holds up no deletion.
 */
async function rewriteShards(
  context: ActionContext,
  repository: Repository,
  root: RepositoryRoot,
  indices: readonly RootIndex[],
  gone: ReadonlySet<string>,
  unread: Set<string>,
): Promise<ReadonlyMap<string, string>> {
  const generations = new Map<string, string>();
  const shards = indices
    .filter(({ snapshots }) => Object.keys(snapshots).some((uuid) => !gone.has(uuid)))
    .flatMap((index) => index.shards.map((generation, shard) => ({ index, shard, generation })));
  await eachAtOnce(shards, SHARDS_AT_ONCE, async ({ index, shard, generation }) => {
    if (generation === '') return;
    const { id } = index;
    const former = await readList(context, repository, root, index, shard, unread);
    if (former === undefined) return;
    const kept = Object.fromEntries(Object.entries(former).filter(([uuid]) => !gone.has(uuid)));
    if (Object.keys(kept).length === Object.keys(former).length) return;
    const next = Object.keys(kept).length === 0 ? '' : newUuid(context.random);
    if (next !== '') await repository.writeShard(id, shard, next, kept);
    generations.set(shardFolder(id, shard), next);
  });
  return generations;
}

/** Undefined where the list of a shard is lost or damaged: nobody can say then what of the shard a snapshot needs. */
async function readList(
  context: ActionContext,
  repository: Repository,
  root: RepositoryRoot,
  { id, name, shards }: RootIndex,
  shard: number,
  unread: Set<string>,
): Promise<ShardGeneration | undefined> {
  const generation = shards[shard] ?? '';
  try {
    return await repository.shard(id, shard, generation);
  } catch (error) {
    const { type, message } = asQuarryError(error);
    if (type !== 'no_such_file_exception' && type !== 'corrupt_index_exception') throw error;
    // One that somebody else has replaced since is not lost.
    if ((await repository.newestGeneration()) !== root.generation) throw error;
    const blob = shardBlob(id, shard, generation);
    if (unread.has(blob)) return undefined;
    unread.add(blob);
    const what = { repository: repository.name, blob, type, reason: message };
    const line = `failed to delete shard data for shard [${name}][${shard}]: its files stay`;
    named(context.logger, 'snapshots').log('warn', line, what);
    return undefined;
  }
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

/** What the root does not lead to. */
interface Useless {
  /** Length in bytes by name. */
  readonly blobs: Map<string, number>;
  /** In which nothing is left then. */
  readonly folders: string[];
}

/** Of these indices, of indices that the root does not know, of snapshots. */
async function findUseless(
  context: ActionContext,
  repository: Repository,
  root: RepositoryRoot,
  indices: readonly RootIndex[],
  unread: Set<string>,
): Promise<Useless> {
  const { store } = repository;
  const useless: Useless = { blobs: new Map(), folders: [] };
  const uuids = new Set(root.snapshots.map(({ uuid }) => uuid));
  note(useless, '', await store.list(''), (name) => {
    const uuid = /^(?:snapshot|metadata)-(.+)$/.exec(name)?.[1];
    return uuid !== undefined && !uuids.has(uuid);
  });
  const known = new Set(root.indices.map(({ id }) => id));
  const { folders } = await store.list('indices');
  for (const id of folders.filter((folder) => !known.has(folder)))
    await noteAll(context, store, indexFolder(id), useless);
  for (const index of indices) {
    const metadata = new Set(Object.values(index.snapshots));
    const listing = await store.list(indexFolder(index.id));
    note(useless, indexFolder(index.id), listing, (name) => !metadata.has(name));
    await eachAtOnce(listing.folders, SHARDS_AT_ONCE, async (folder) => {
      context.cancellation.throwIfCancelled();
      const shard = Number(folder);
      const generation = index.shards[shard] ?? '';
      const entries = await readList(context, repository, root, index, shard, unread);
      if (entries === undefined) return;
      const needed = neededBlobs(repository, generation, entries);
      const place = shardFolder(index.id, shard);
      note(useless, place, await store.list(place), (name) => !needed.has(name));
    });
  }
  return useless;
}

function note(useless: Useless, folder: string, { blobs }: BlobListing, isStale: (name: string) => boolean): void {
  const prefix = folder === '' ? '' : `${folder}/`;
  for (const [name, bytes] of blobs) if (isStale(name)) useless.blobs.set(`${prefix}${name}`, bytes);
}

async function noteAll(context: ActionContext, store: BlobStore, folder: string, useless: Useless): Promise<void> {
  context.cancellation.throwIfCancelled();
  const listing = await store.list(folder);
  note(useless, folder, listing, () => true);
  await eachAtOnce(listing.folders, SHARDS_AT_ONCE, (inner) => noteAll(context, store, `${folder}/${inner}`, useless));
  useless.folders.push(folder);
}

async function remove(context: ActionContext, { store }: Repository, useless: Useless): Promise<FolderRemoval> {
  const names = [...useless.blobs.keys()];
  for (let at = 0; at < names.length; at += REMOVED_AT_ONCE) {
    context.cancellation.throwIfCancelled();
    await store.remove(names.slice(at, at + REMOVED_AT_ONCE));
  }
  for (const folder of useless.folders) await store.removeEmptyFolder(folder);
  return { blobs: names.length, bytes: [...useless.blobs.values()].reduce((sum, bytes) => sum + bytes, 0) };
}

function neededBlobs(repository: Repository, generation: string, entries: ShardGeneration): ReadonlySet<string> {
  const needed = new Set([`shard-${generation}`]);
  for (const [uuid, { files }] of Object.entries(entries)) {
    needed.add(`segments-${uuid}`);
    for (const file of files) for (const blob of repository.allBlobsOf(file)) needed.add(blob);
  }
  return needed;
}
