/** The newest root of a repository, as one who is about to change the repository must see it. */
import { asQuarryError } from '../../base/error-wire.js';
import { QuarryError } from '../../base/errors.js';
import { named } from '../../base/logger.js';
import { findRepository } from '../../cluster/changes/snapshots/repositories.js';
import type { RepositoryRecord } from '../../cluster/snapshots/types.js';
import type { RepositoryRoot } from '../../repositories/format.js';
import type { Repository } from '../../repositories/repository.js';
import type { ActionContext } from '../context.js';
import { knownRoot } from './known-root.js';

export interface SeenRepository {
  readonly repository: Repository;
  readonly repositoryUuid: string;
  readonly root: RepositoryRoot;
}

/**
 * The cluster state names the same root when this resolves. Throws `repository_exception` when another cluster wrote
 * there since this one looked: both would remove what the other needs; and as {@link knownRoot}.
 */
export async function newestRoot(context: ActionContext, name: string): Promise<SeenRepository> {
  const record = findRepository(context.clusterState(), name);
  const repository = context.repositories.ofRecord(record);
  const root = await knownRoot(repository, record);
  const { generation: known, uuid: repositoryUuid } = record;
  const seen = { repository, repositoryUuid, root };
  if (known === root.generation) return seen;
  const isOwn = root.clusterUuid === context.clusterState().clusterUuid;
  // Nobody looked since it was registered, or a master ended between writing the root and telling of it.
  const mayAdopt = known === undefined || repository.options.isReadOnly || isOwn;
  if (!mayAdopt) throw writtenByOthers(name, known, root);
  const input = { repositoryUuid, name, generation: root.generation, contentUuid: root.uuid };
  await context.coordinator.submit('note-repository-generation', input);
  return seen;
}

/** Tells the cluster whose repository it has registered. What cannot be read is told to who uses it. */
export async function noteContent(context: ActionContext, record: RepositoryRecord): Promise<void> {
  try {
    const { uuid: contentUuid } = await context.repositories.ofRecord(record).root();
    if (contentUuid === '') return;
    const input = { repositoryUuid: record.uuid, name: record.name, contentUuid };
    await context.coordinator.submit('note-repository-generation', input);
  } catch (error) {
    const { type, message } = asQuarryError(error);
    const what = { repository: record.name, type, reason: message };
    named(context.logger, 'snapshots').log('warn', 'a repository that was registered could not be read', what);
  }
}

function writtenByOthers(name: string, known: number, root: RepositoryRoot): QuarryError {
  return new QuarryError(
    'repository_exception',
    `[${name}] concurrent modification of the repository: its newest root should be [${known}] and is ` +
      `[${root.generation}], written by cluster [${root.clusterUuid}]. To use it from this cluster, let the other one use ` +
      'it read-only, then register it here again',
  );
}
