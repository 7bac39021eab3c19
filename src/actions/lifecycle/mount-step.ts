/** The `searchable_snapshot` action of a lifecycle policy: one step of it in each round, until the mounted index is in the place of the other. */
import { asQuarryError } from '../../base/error-wire.js';
import { QuarryError } from '../../base/errors.js';
import type { JsonObject } from '../../base/json-value.js';
import { named } from '../../base/logger.js';
import { isOfPolicy } from '../../cluster/lifecycle/mount-names.js';
import { hasFailedToRestore, planMount, type MountPlan } from '../../cluster/lifecycle/mount-plan.js';
import { isWhole } from '../../cluster/copies/shard-copies.js';
import { LIFECYCLE_NAME, lifecycleDateMs } from '../../cluster/lifecycle/progress.js';
import { IndicesDefaults } from '../../cluster/names/indices-options.js';
import type { FlatSettings, SettingValue } from '../../cluster/settings/flat-settings.js';
import { isMounted } from '../../cluster/snapshots/mounted.js';
import type { MountStorage } from '../../cluster/snapshots/mounts.js';
import type { ClusterState, IndexMetadata } from '../../cluster/state.js';
import { findSnapshot } from '../../repositories/repository.js';
import type { ActionContext } from '../context.js';
import { createSnapshot, deleteSnapshots } from '../snapshots/create-snapshot.js';
import { newestRoot } from '../snapshots/newest-root.js';
import { readRecord } from '../snapshots/read-snapshot.js';
import { mergeStep } from './merge-step.js';
import type { StepOutcome } from './step-outcome.js';
import { towardsHeir, type HeirAction } from './towards-heir.js';

/** In a round for a snapshot, and for a mount: what it does not see any more the next one sees. */
const WAIT_MS_MAX = 5_000;
type Making = Extract<MountPlan, { next: 'make' }>;
type Mounting = Making & { readonly storage: MountStorage };

export function mountStep(
  context: ActionContext,
  index: IndexMetadata,
  body: JsonObject,
  storage: MountStorage,
  masterTimeoutMs: number,
): Promise<StepOutcome> {
  const action: HeirAction<Making> = {
    plan: (state, source) => planMount(state, source, body, storage),
    make: (source, how) => snapshotOrMount(context, source, { ...how, storage }, body, masterTimeoutMs),
    replace: 'replace-mounted',
  };
  return towardsHeir(context, index, action, masterTimeoutMs);
}

async function snapshotOrMount(
  context: ActionContext,
  index: IndexMetadata,
  how: Mounting,
  body: JsonObject,
  masterTimeoutMs: number,
): Promise<void> {
  const { repository: name, snapshot } = how;
  const { repository, root } = await newestRoot(context, name);
  const found = findSnapshot(root, snapshot);
  if (found === undefined) {
    if (isMounted(index)) {
      throw new QuarryError(
        'snapshot_missing_exception',
        `[${name}:${snapshot}], of which the index is mounted, is missing`,
      );
    }
    if (body['force_merge_index'] !== false) await mergeStep(context, index, 1);
    await takeSnapshot(context, index, name, snapshot, masterTimeoutMs);
    return;
  }
  const { state } = await readRecord(repository, found);
  if (state !== 'SUCCESS') {
    await deleteSnapshots(context, name, () => [{ name: snapshot, uuid: found.uuid }], masterTimeoutMs);
    throw new QuarryError('snapshot_exception', `[${name}:${snapshot}] ended as [${state}] and is taken again`);
  }
  await mount(context, index, how, body, masterTimeoutMs);
}

async function takeSnapshot(
  context: ActionContext,
  index: IndexMetadata,
  repository: string,
  name: string,
  masterTimeoutMs: number,
): Promise<void> {
  const what = { indices: [index.name], options: IndicesDefaults.expandOpenAndClosed };
  const how = { featureStates: [], includeGlobalState: false, partial: false };
  const { uuid } = await createSnapshot(context, { repository, name, ...what, ...how }, masterTimeoutMs);
  await until(context, ({ snapshotOperations }) => !snapshotOperations.has(uuid));
}

async function mount(
  context: ActionContext,
  index: IndexMetadata,
  { repository, snapshot, source, target, storage, failed }: Mounting,
  body: JsonObject,
  masterTimeoutMs: number,
): Promise<void> {
  const request = {
    repository,
    snapshot,
    choose: () => ({ indices: [source], dataStreams: [] }),
    renameIndices: target,
    renameAliases: undefined,
    includeAliases: false,
    includeGlobalState: false,
    featureStates: [],
    partial: false,
    settings: mountSettings(context.clusterState(), index, body),
    // It goes on in the policy once it is in the place of the other.
    ignoredSettings: [LIFECYCLE_NAME],
    mount: storage,
  };
  const { restoreSnapshot } = await import('../snapshots/restore-snapshot.js');
  if (failed !== undefined) {
    await context.coordinator.submit('delete-indices', { indices: [failed] }, { timeoutMs: masterTimeoutMs });
  }
  await restoreSnapshot(context, request, masterTimeoutMs);
  await until(context, (state) => isWhole(state, { name: target }) || hasFailed(state, target));
  if (!hasFailed(context.clusterState(), target)) return;
  throw new QuarryError(
    'snapshot_restore_exception',
    `[${repository}:${snapshot}] could not be mounted as [${target}]: GET _cluster/allocation/explain says why, and the ` +
      'next round tries again',
  );
}

function hasFailed(state: ClusterState, target: string): boolean {
  const index = state.indices.get(target);
  return index !== undefined && hasFailedToRestore(state, index);
}

/** Its documents are as old as they were. */
function mountSettings(state: ClusterState, index: IndexMetadata, body: JsonObject): FlatSettings {
  const settings = new Map<string, SettingValue>([
    ['index.lifecycle.origination_date', String(lifecycleDateMs(state, index))],
  ]);
  const perNode = body['total_shards_per_node'];
  if (typeof perNode === 'number') settings.set('index.routing.allocation.total_shards_per_node', String(perNode));
  return settings;
}

async function until(context: ActionContext, holds: (state: ClusterState) => boolean): Promise<void> {
  await context.whenState(holds, WAIT_MS_MAX, context.cancellation);
}

/** The snapshot goes with the index that a policy mounted from it. One that stays is told of, and nothing else needs it. */
export async function deleteMountedSnapshot(
  context: ActionContext,
  index: IndexMetadata,
  masterTimeoutMs: number,
): Promise<void> {
  const { restoredFrom } = index;
  if (restoredFrom === undefined || !isMounted(index) || !isOfPolicy(restoredFrom)) return;
  const { repository, snapshot, snapshotUuid } = restoredFrom;
  try {
    const choose = (all: readonly { name: string; uuid: string }[]): typeof all =>
      all.filter(({ uuid }) => uuid === snapshotUuid);
    await deleteSnapshots(context, repository, choose, masterTimeoutMs, false);
  } catch (error) {
    const { message: reason } = asQuarryError(error);
    named(context.logger, 'ilm').log('warn', 'a snapshot outlived its index', { repository, snapshot, reason });
  }
}
