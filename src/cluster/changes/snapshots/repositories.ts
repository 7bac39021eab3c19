/** Repositories are registered and forgotten; what they hold is left as it is. */
import { QuarryError } from '../../../base/errors.js';
import { withEntries } from '../../../base/shared-map.js';
import type { FlatSettings } from '../../settings/flat-settings.js';
import { operationsOf } from '../../snapshots/queue.js';
import { mountsFrom } from '../../snapshots/mounts.js';
import { restoresFrom } from '../../snapshots/restores.js';
import type { RepositoryRecord } from '../../snapshots/types.js';
import type { ClusterState } from '../../state.js';
import { nextState, type Change, type ChangeEnvironment } from '../change.js';

export interface PutRepositoryInput {
  readonly name: string;
  readonly type: string;
  /** Checked by whoever asks. */
  readonly settings: FlatSettings;
}

/** Also takes away the refusal to write of one that another cluster wrote to. */
export function putRepository(
  state: ClusterState,
  { name, type, settings }: PutRepositoryInput,
  environment: ChangeEnvironment,
): Change<RepositoryRecord> {
  const former = state.repositories.get(name);
  if (former !== undefined && !isOnlyTuned(former, type, settings)) checkUnused(state, name);
  const record: RepositoryRecord = { name, uuid: environment.newUuid(), type, settings };
  const repositories = withEntries(state.repositories, [[name, record]]);
  return { state: nextState(state, { repositories }, environment), result: record };
}

export interface DeleteRepositoriesInput {
  readonly names: readonly string[];
}

export function deleteRepositories(
  state: ClusterState,
  { names }: DeleteRepositoriesInput,
  environment: ChangeEnvironment,
): Change<null> {
  for (const name of names) {
    if (!state.repositories.has(name)) throw repositoryMissing(name);
    checkUnused(state, name);
  }
  const repositories = withEntries(state.repositories, [], names);
  return { state: nextState(state, { repositories }, environment), result: null };
}

export interface NoteGenerationInput {
  readonly repositoryUuid: string;
  readonly name: string;
  /** Undefined where somebody only looked whose repository it is. */
  readonly generation?: number;
  /** Empty of a repository without a root. */
  readonly contentUuid?: string;
}

/** Somebody looked which root is the newest. */
export function noteGeneration(
  state: ClusterState,
  { repositoryUuid, name, generation = -2, contentUuid }: NoteGenerationInput,
  environment: ChangeEnvironment,
): Change<null> {
  const record = state.repositories.get(name);
  if (record?.uuid !== repositoryUuid) return { state, result: null };
  const isNewer = (record.generation ?? -2) < generation;
  const known = withContentUuid(isNewer ? { ...record, generation } : record, contentUuid);
  if (known === record) return { state, result: null };
  const repositories = withEntries(state.repositories, [[name, known]]);
  return { state: nextState(state, { repositories }, environment), result: null };
}

/** The same record where it says so already, or there is nothing to say. */
export function withContentUuid(record: RepositoryRecord, contentUuid: string | undefined): RepositoryRecord {
  return contentUuid === undefined || contentUuid === '' || contentUuid === record.contentUuid
    ? record
    : { ...record, contentUuid };
}

export function findRepository(state: Pick<ClusterState, 'repositories'>, name: string): RepositoryRecord {
  const record = state.repositories.get(name);
  if (record === undefined) throw repositoryMissing(name);
  return record;
}

export function repositoryMissing(name: string): QuarryError {
  return new QuarryError('repository_missing_exception', `[${name}] missing`);
}

/** Indices that an error names. */
const MOUNTS_SHOWN = 5;

/** Rates may change while the repository is used. */
const TUNABLE = new Set(['max_snapshot_bytes_per_sec', 'max_restore_bytes_per_sec']);

function isOnlyTuned(former: RepositoryRecord, type: string, settings: FlatSettings): boolean {
  const keys = new Set([...former.settings.keys(), ...settings.keys()]);
  const changed = [...keys].filter((key) => String(former.settings.get(key)) !== String(settings.get(key)));
  return former.type === type && changed.every((key) => TUNABLE.has(key));
}

function checkUnused(state: ClusterState, name: string): void {
  const what = useOf(state, name);
  if (what === undefined) return;
  throw new QuarryError(
    'repository_conflict_exception',
    `[${name}] trying to modify or unregister repository that is currently used (${what})`,
  );
}

function useOf(state: ClusterState, name: string): string | undefined {
  if (operationsOf(state, name).length > 0) return 'snapshot is in progress';
  if (restoresFrom(state, name).length > 0) return 'restore is in progress';
  const mounts = mountsFrom(state, name);
  if (mounts.length === 0) return undefined;
  const shown = mounts.slice(0, MOUNTS_SHOWN).map((index) => `[${index.name}/${index.uuid}]`);
  return `found ${mounts.length} searchable snapshots indices that use the repository: ${shown.join(',')}`;
}
