/**
 * Writes the next root of a repository; whatever else was written there by this cluster since is kept. The operation is confirmed
 * between the reading of the one root and the writing of the next, and that fails if somebody else was faster: a master that was
 * replaced cannot bring back what was ended since.
 */
import { asQuarryError } from '../../base/error-wire.js';
import { QuarryError } from '../../base/errors.js';
import type { SnapshotOperation } from '../../cluster/snapshots/types.js';
import type { RepositoryRoot } from '../../repositories/format.js';
import { ROOTS_KEPT, shardBlob } from '../../repositories/repository.js';
import type { ActionContext } from '../context.js';
import { confirmOperation } from './confirm-operation.js';
import { newestRoot } from './newest-root.js';

/** Another master, which does not know yet that it is none, may be faster so often. */
const TRIES = 10;

export async function changeRoot(
  context: ActionContext,
  { repository: name, uuid }: Pick<SnapshotOperation, 'repository' | 'uuid'>,
  change: (root: RepositoryRoot) => Pick<RepositoryRoot, 'snapshots' | 'indices'>,
): Promise<RepositoryRoot> {
  for (let tries = 1; ; tries++) {
    const { repository, root } = await newestRoot(context, name);
    if (root.operation === uuid) return root;
    await confirmOperation(context, { repository: name, uuid });
    const { clusterUuid } = context.clusterState();
    const next = { ...change(root), generation: root.generation + 1, clusterUuid, operation: uuid };
    try {
      const written = await repository.writeRoot(next, root, context.random);
      // Its name may have been free only because a root of that number was written and taken away since: then nobody built on this one.
      if ((await repository.root()).generation >= written.generation + ROOTS_KEPT) {
        if (tries === TRIES) throw overtaken(name);
        continue;
      }
      // What stays behind goes with a later deletion.
      await repository.store.remove(superseded(root, written)).catch(() => undefined);
      return written;
    } catch (error) {
      if (tries === TRIES || asQuarryError(error).type !== 'file_already_exists_exception') throw error;
    }
  }
}

function overtaken(name: string): QuarryError {
  return new QuarryError('repository_exception', `[${name}] other roots were written while one was being written`);
}

/** Generations of shards to which the new root does not lead any more. */
function superseded(before: RepositoryRoot, after: RepositoryRoot): readonly string[] {
  const now = new Map(after.indices.map(({ id, shards }) => [id, shards] as const));
  return before.indices.flatMap(({ id, shards }) =>
    shards.flatMap((generation, shard) =>
      generation === '' || now.get(id)?.[shard] === generation ? [] : [shardBlob(id, shard, generation)],
    ),
  );
}
