/**
 * The newest root of a repository, as readers get it. A directory may be empty because its file system is not mounted: what this cluster
 * knows to be in a repository must be there, or nothing that it seems to have is believed.
 */
import { QuarryError } from '../../base/errors.js';
import type { RepositoryRecord } from '../../cluster/snapshots/types.js';
import type { RepositoryRoot } from '../../repositories/format.js';
import type { Repository } from '../../repositories/repository.js';

/** `record` is of a cluster state from before. Throws `repository_exception` where the root is older than the one that it names. */
export async function knownRoot(repository: Repository, record: RepositoryRecord): Promise<RepositoryRoot> {
  const root = await repository.root();
  checkNotLost(repository, record, root.generation);
  return root;
}

/** `found`: number of the newest root that is there; -1: none. */
export function checkNotLost(repository: Repository, record: RepositoryRecord, found: number): void {
  const loss = lossOf(repository, record, found);
  if (loss === undefined) return;
  throw new QuarryError(
    'repository_exception',
    `[${record.name}] could not read repository data from index blob: ${loss}`,
  );
}

/** Undefined where nothing is missing. `found`: number of the newest root that is there; -1: none. */
export function lossOf({ options }: Repository, record: RepositoryRecord, found: number): string | undefined {
  const { generation: known = -1 } = record;
  if (found >= known) return undefined;
  // Between a writer and readers there may be something that keeps older roots for a while.
  if (found !== -1 && options.isReadOnly) return undefined;
  const what = found === -1 ? 'there is none' : `the newest one there is [${found}]`;
  return (
    `this cluster knows of root [${known}], and ${what}. If its place was lost, make it reachable again; if it was ` +
    'emptied or put back on purpose, register the repository again'
  );
}
