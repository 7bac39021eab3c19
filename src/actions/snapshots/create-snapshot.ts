/** Begins snapshots, clones and deletions, and waits for them. The master's node carries them out: see `run-snapshots.ts`. */
import { asQuarryError } from '../../base/error-wire.js';
import { eachAtOnce } from '../../base/each-at-once.js';
import { QuarryError } from '../../base/errors.js';
import type { JsonObject } from '../../base/json-value.js';
import type { BegunSnapshot } from '../../cluster/changes/snapshots/snapshot-operations.js';
import type { IndicesOptions } from '../../cluster/names/indices-options.js';
import { featuresInUse } from '../../cluster/snapshots/feature-states.js';
import { operationsOf } from '../../cluster/snapshots/queue.js';
import { checkSnapshotName } from '../../cluster/snapshots/snapshot-name.js';
import type { OperationOutcome } from '../../cluster/snapshots/types.js';
import type { RepositoryRoot } from '../../repositories/format.js';
import { findSnapshot } from '../../repositories/repository.js';
import type { ActionContext } from '../context.js';
import { newestRoot, type SeenRepository } from './newest-root.js';
import { readIndex, readRecord } from './read-snapshot.js';

export interface SnapshotRequest {
  readonly repository: string;
  /** Without date math. */
  readonly name: string;
  /** Nothing means all. */
  readonly indices: readonly string[];
  readonly options: IndicesOptions;
  readonly featureStates: readonly string[];
  readonly includeGlobalState: boolean;
  readonly partial: boolean;
  readonly metadata?: JsonObject;
}

/** Resolves when the cluster state has it. */
export async function createSnapshot(
  context: ActionContext,
  request: SnapshotRequest,
  timeoutMs: number,
): Promise<BegunSnapshot> {
  checkSnapshotName(request.repository, request.name);
  return onNewestRoot(context, request.repository, ({ repository, root }) => {
    repository.checkWritable();
    if (findSnapshot(root, request.name) !== undefined) throw nameInUse(request.repository, request.name);
    const { repository: name, indices: expressions, ...rest } = request;
    const featureStates = featuresInUse(context.clusterState(), request.featureStates);
    const seen = { repository: name, generation: root.generation };
    const indexIds = Object.fromEntries(root.indices.map((index) => [index.name, index.id]));
    return context.coordinator.submit(
      'begin-snapshot',
      { ...rest, featureStates, expressions, indexIds, root: seen },
      { timeoutMs },
    );
  });
}

export interface CloneRequest {
  readonly repository: string;
  readonly source: string;
  readonly name: string;
  /** As it was asked for. */
  readonly expressions: readonly string[];
  /** Which of the indices of the source that means. */
  readonly choose: (indices: readonly string[]) => readonly string[];
}

/** Of metadata of indices. */
const READS_AT_ONCE = 8;

export async function createClone(
  context: ActionContext,
  request: CloneRequest,
  timeoutMs: number,
): Promise<BegunSnapshot> {
  checkSnapshotName(request.repository, request.name);
  return onNewestRoot(context, request.repository, async ({ repository, root }) => {
    repository.checkWritable();
    if (findSnapshot(root, request.name) !== undefined) throw nameInUse(request.repository, request.name);
    const source = findSnapshot(root, request.source);
    if (source === undefined) throw snapshotMissing(request.repository, request.source);
    const record = await readRecord(repository, source);
    const indices = request.choose(record.indices);
    if (indices.length === 0) throw noIndices(request, source);
    const failed = indices.find((name) => record.failures.some(({ index }) => index === name));
    if (failed !== undefined) throw unsuccessful(request, failed, root);
    const wanted = new Set(indices);
    // A clone that cannot be restored is none.
    await eachAtOnce(root.indices, READS_AT_ONCE, async (index) => {
      const blob = wanted.has(index.name) ? index.snapshots[source.uuid] : undefined;
      if (blob !== undefined) await readIndex(repository, source, index, blob);
    });
    const seen = { repository: request.repository, generation: root.generation };
    const from = { name: source.name, uuid: source.uuid };
    const input = { root: seen, name: request.name, source: from, indices };
    return context.coordinator.submit('begin-clone', input, { timeoutMs });
  });
}

function noIndices({ repository, expressions }: CloneRequest, { name, uuid }: NamedSnapshot): QuarryError {
  const source = `${name}/${uuid}`;
  return new QuarryError(
    'snapshot_exception',
    `[${repository}:${source}] No indices in the source snapshot [${source}] matched requested pattern [${expressions.join()}]`,
  );
}

function unsuccessful({ repository, name }: CloneRequest, index: string, { indices }: RepositoryRoot): QuarryError {
  const id = indices.find((each) => each.name === index)?.id ?? '';
  return new QuarryError(
    'snapshot_exception',
    `[${repository}:${name}] Can't clone index [[${index}/${id}]] because its snapshot was not successful.`,
  );
}

/** Resolves when the snapshot, which may be a clone, is in the repository; throws why it is not. One with failures is there as well. */
export async function whenMade(context: ActionContext, repository: string, uuid: string): Promise<void> {
  await whenDone(context, uuid, async () => {
    if ((await uuidsIn(context, repository)).has(uuid)) return {};
    throw new QuarryError('snapshot_exception', `[${repository}] the snapshot [${uuid}] was not made`);
  });
}

async function uuidsIn(context: ActionContext, repository: string): Promise<ReadonlySet<string>> {
  const { snapshots } = await context.repositories.of(context.clusterState(), repository).root();
  return new Set(snapshots.map(({ uuid }) => uuid));
}

/**
 * Resolves when what was asked for is done; throws why it was not. `missed` is asked where it ended and was forgotten before this node
 * heard of it, as one that was cut off meanwhile.
 */
export async function whenDone(
  context: ActionContext,
  uuid: string,
  missed: () => Promise<OperationOutcome>,
): Promise<OperationOutcome> {
  for (;;) {
    const state = await context.whenState(
      ({ snapshotOperations }) => snapshotOperations.get(uuid)?.outcome !== undefined || !snapshotOperations.has(uuid),
      WAIT_MS,
      context.cancellation,
    );
    context.cancellation.throwIfCancelled();
    if (state === undefined) continue;
    const outcome = state.snapshotOperations.get(uuid)?.outcome ?? (await missed());
    if (outcome.failure !== undefined) throw new QuarryError(outcome.failure.type, outcome.failure.reason);
    return outcome;
  }
}

const WAIT_MS = 3_600_000;

/** Snapshots as a deletion names them. */
export interface NamedSnapshot {
  readonly name: string;
  readonly uuid: string;
}

/**
 * Resolves when they are gone, and what only they needed; without `waits`, when that is to be done. `choose` gets every snapshot of the repository, those that are
 * being made too, and throws for a name that none has.
 */
export async function deleteSnapshots(
  context: ActionContext,
  repository: string,
  choose: (snapshots: readonly NamedSnapshot[]) => readonly NamedSnapshot[],
  timeoutMs: number,
  waits = true,
): Promise<OperationOutcome> {
  let chosen: readonly NamedSnapshot[] = [];
  const noteChosen: typeof choose = (all) => (chosen = choose(all));
  const uuid = await beginRemoval(context, repository, noteChosen, false, timeoutMs);
  if (uuid === undefined || !waits) return {};
  return whenDone(context, uuid, async () => {
    const there = await uuidsIn(context, repository);
    const left = chosen.find((snapshot) => there.has(snapshot.uuid));
    if (left === undefined) return {};
    throw new QuarryError('snapshot_exception', `[${repository}:${left.name}] the snapshot was not deleted`);
  });
}

/** Removes what no snapshot needs. */
export async function cleanRepository(
  context: ActionContext,
  repository: string,
  timeoutMs: number,
): Promise<OperationOutcome> {
  const uuid = await beginRemoval(context, repository, () => [], true, timeoutMs);
  return uuid === undefined ? {} : whenDone(context, uuid, () => Promise.resolve({}));
}

/** Undefined where there is nothing to be removed. */
async function beginRemoval(
  context: ActionContext,
  name: string,
  choose: (snapshots: readonly NamedSnapshot[]) => readonly NamedSnapshot[],
  sweepsAll: boolean,
  timeoutMs: number,
): Promise<string | undefined> {
  const begun = await onNewestRoot(context, name, ({ repository, root }) => {
    repository.checkWritable();
    const beingMade = operationsOf(context.clusterState(), name).flatMap((operation) =>
      operation.kind === 'create' ? [{ name: operation.name, uuid: operation.uuid }] : [],
    );
    const finished = root.snapshots.map((snapshot) => ({ name: snapshot.name, uuid: snapshot.uuid }));
    const snapshots = choose([...finished, ...beingMade]);
    if (snapshots.length === 0 && !sweepsAll) return Promise.resolve(undefined);
    const input = { root: { repository: name, generation: root.generation }, snapshots, sweepsAll };
    return context.coordinator.submit('begin-snapshot-deletion', input, { timeoutMs });
  });
  return begun?.uuid;
}

export function snapshotMissing(repository: string, name: string): QuarryError {
  return new QuarryError('snapshot_missing_exception', `[${repository}:${name}] is missing`);
}

function nameInUse(repository: string, name: string): QuarryError {
  return new QuarryError(
    'snapshot_name_already_in_use_exception',
    `[${repository}:${name}] Invalid snapshot name [${name}], snapshot with the same name already exists`,
  );
}

/** Others may write roots meanwhile. */
const TRIES = 20;

async function onNewestRoot<Result>(
  context: ActionContext,
  repository: string,
  begin: (seen: SeenRepository) => Promise<Result>,
): Promise<Result> {
  for (let tries = 1; ; tries++) {
    const seen = await newestRoot(context, repository);
    try {
      return await begin(seen);
    } catch (error) {
      if (tries === TRIES || asQuarryError(error).type !== 'concurrent_modification_exception') throw error;
    }
  }
}
