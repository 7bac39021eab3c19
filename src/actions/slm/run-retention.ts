/** Retention: the snapshots that policies took go when the policies say so. */
import { asQuarryError } from '../../base/error-wire.js';
import { named } from '../../base/logger.js';
import { effectiveClusterSettings } from '../../cluster/settings/effective-cluster-settings.js';
import { ClusterSettingDefinitions } from '../../cluster/settings/cluster-settings.js';
import { valueOf } from '../../cluster/settings/registry.js';
import { hasRetention, readSlmPolicy } from '../../cluster/slm/policy.js';
import { expiredSnapshots, type Retention } from '../../cluster/slm/retention.js';
import type { RootSnapshot } from '../../repositories/format.js';
import type { ActionContext } from '../context.js';
import { deleteSnapshots, snapshotMissing, type NamedSnapshot } from '../snapshots/create-snapshot.js';
import { listSnapshots } from '../snapshots/list-snapshots.js';
import { noteHistory } from './history.js';
import { detailsOf } from './take-snapshot.js';

const NOTE_MS_MAX = 60_000;
/** Until a deletion has begun. */
const BEGIN_MS_MAX = 600_000;

export interface RunSlmRetention {
  /** The time of the schedule; absent where somebody asked for it. */
  readonly dueMs?: number;
}

interface Retained {
  readonly id: string;
  readonly repository: string;
  readonly retention: Retention;
}

interface Deletions {
  deleted: number;
  deletionFailures: number;
}

/** What this run did so far. */
interface Progress {
  readonly startedMs: number;
  readonly limitMs: number;
  failed: boolean;
  timedOut: boolean;
  readonly policies: Map<string, Deletions>;
}

/** Resolves when it is done, or its time is over, and that is noted. */
export async function runSlmRetention(context: ActionContext, { dueMs }: RunSlmRetention): Promise<void> {
  const input = dueMs === undefined ? {} : { dueMs };
  const { begun } = await context.coordinator.submit('begin-slm-retention', input, { timeoutMs: NOTE_MS_MAX });
  if (!begun) return;
  const settings = effectiveClusterSettings(context.clusterState());
  const limitMs = valueOf(ClusterSettingDefinitions.slmRetentionDuration, settings) ?? 0;
  const startedMs = context.clock.monotonicMs();
  const progress: Progress = { startedMs, limitMs, failed: false, timedOut: false, policies: new Map() };
  for (const [repository, policies] of byRepository(context)) {
    await retainIn(context, repository, policies, progress);
  }
  const { failed, timedOut } = progress;
  const deletionMs = progress.policies.size === 0 ? 0 : Math.round(context.clock.monotonicMs() - startedMs);
  const policies = [...progress.policies].map(([id, deletions]) => ({ id, ...deletions }));
  const noted = { failed, timedOut, deletionMs, policies };
  await context.coordinator.submit('end-slm-retention', noted, { timeoutMs: NOTE_MS_MAX });
}

function byRepository(context: ActionContext): ReadonlyMap<string, readonly Retained[]> {
  const found = new Map<string, Retained[]>();
  for (const [id, { policy }] of context.clusterState().slmPolicies) {
    const { repository, retention } = readSlmPolicy(policy);
    if (!hasRetention(retention)) continue;
    found.set(repository, [...(found.get(repository) ?? []), { id, repository, retention }]);
  }
  return found;
}

async function retainIn(
  context: ActionContext,
  repository: string,
  policies: readonly Retained[],
  progress: Progress,
): Promise<void> {
  let snapshots: readonly RootSnapshot[];
  try {
    snapshots = (await listSnapshots(context, repository)).flatMap((listed) =>
      listed.kind === 'finished' ? [listed.summary] : [],
    );
  } catch (error) {
    // Those of other repositories go nevertheless.
    progress.failed = true;
    const { message: reason } = asQuarryError(error);
    named(context.logger, 'slm').log('warn', 'retention could not read the snapshots of a repository', {
      repository,
      reason,
    });
    return;
  }
  for (const policy of policies) {
    const own = snapshots.filter((snapshot) => snapshot.policy === policy.id);
    for (const snapshot of expiredSnapshots(policy.retention, own, context.clock.nowMs())) {
      if (isOver(context, progress)) return;
      await deleteOne(context, policy, snapshot, progress);
    }
  }
}

/** Looked at where there is something left to delete. */
function isOver({ clock, cancellation }: ActionContext, progress: Progress): boolean {
  cancellation.throwIfCancelled();
  if (clock.monotonicMs() - progress.startedMs >= progress.limitMs) progress.timedOut = true;
  return progress.timedOut;
}

async function deleteOne(
  context: ActionContext,
  { id: policyId, repository }: Retained,
  { name: snapshotName, uuid }: RootSnapshot,
  progress: Progress,
): Promise<void> {
  const deletions = progress.policies.get(policyId) ?? { deleted: 0, deletionFailures: 0 };
  progress.policies.set(policyId, deletions);
  let details: string | undefined;
  try {
    await deleteSnapshots(context, repository, (all) => theOne(repository, snapshotName, uuid, all), BEGIN_MS_MAX);
    deletions.deleted++;
  } catch (error) {
    // Somebody else deleted it meanwhile.
    if (asQuarryError(error).type === 'snapshot_missing_exception') return;
    deletions.deletionFailures++;
    details = detailsOf(error);
    named(context.logger, 'slm').log('warn', 'retention could not delete a snapshot', {
      repository,
      snapshotName,
      details,
    });
  }
  const operation = 'DELETE';
  await noteHistory(context, { policyId, repository, snapshotName, operation, configuration: null, details });
}

/** Another one may have its name by now. */
function theOne(
  repository: string,
  name: string,
  uuid: string,
  all: readonly NamedSnapshot[],
): readonly NamedSnapshot[] {
  const found = all.filter((snapshot) => snapshot.uuid === uuid);
  if (found.length === 0) throw snapshotMissing(repository, name);
  return found;
}
