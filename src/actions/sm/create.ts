/** The creation of a policy of snapshot management: one snapshot, followed to its end. */
import { QuarryError } from '../../base/errors.js';
import type { Random } from '../../base/random.js';
import { readSmConfig, smSnapshotName, UNIQUE_CHARACTERS } from '../../cluster/sm/policy.js';
import type { SmPolicy, SmRun } from '../../cluster/sm/types.js';
import type { SnapshotRecord } from '../../repositories/format.js';
import type { ActionContext } from '../context.js';
import { createSnapshot } from '../snapshots/create-snapshot.js';
import { listSnapshots, nameOf, recordOf, type ListedSnapshot } from '../snapshots/list-snapshots.js';
import { timeLimitExceeded, type RunEnd, type RunOfPolicy } from './run-of-policy.js';

const BEGIN_MS_MAX = 600_000;
/** The end of a snapshot is waited for so long at once. */
const WAIT_MS = 3_600_000;
const UNIQUE = 'abcdefghijklmnopqrstuvwxyz0123456789';

export function beginCreation(
  { clock, random }: ActionContext,
  name: string,
  { definition }: SmPolicy,
): SmRun['snapshots'] {
  return [{ name: smSnapshotName(name, definition.snapshotConfig, clock.nowMs(), uniqueEnd(random)) }];
}

function uniqueEnd(random: Random): string {
  return Array.from({ length: UNIQUE_CHARACTERS }, () => UNIQUE[random.below(UNIQUE.length)] ?? '').join('');
}

export async function goOnCreating(context: ActionContext, of: RunOfPolicy): Promise<RunEnd> {
  const { name, policy, run, note } = of;
  const snapshot = run.snapshots[0]?.name ?? '';
  // Whoever began it may have ended before that was noted.
  if (!run.isBegun && (await find(context, run.repository, snapshot)) === undefined) {
    const config = readSmConfig(name, policy.definition);
    const request = { ...config, repository: run.repository, name: snapshot, featureStates: [] };
    await createSnapshot(context, request, BEGIN_MS_MAX);
  }
  if (!run.isBegun) {
    const message = `Snapshot ${snapshot} creation has been started and waiting for completion.`;
    await note({ status: 'IN_PROGRESS', message });
  }
  const end = await endOf(context, run.repository, snapshot, of.untilMs);
  return end === 'late' ? timeLimitExceeded(of, 'creation') : outcomeOf(snapshot, end);
}

function outcomeOf(snapshot: string, end: SnapshotRecord | QuarryError | 'missing'): RunEnd {
  if (end === 'missing') {
    const message = `Snapshot ${snapshot} not found while checking if it has been created.`;
    return { status: 'FAILED', message };
  }
  if (end instanceof Error) {
    return { status: 'FAILED', message: `Snapshot ${snapshot} creation failed.`, cause: end.message };
  }
  if (end.state === 'SUCCESS') {
    return { status: 'SUCCESS', message: `Snapshot ${snapshot} creation has finished successfully.` };
  }
  const [first] = end.failures;
  const cause = end.reason ?? first?.reason;
  const message = `Snapshot ${snapshot} creation failed as the snapshot is in the ${end.state} state.`;
  return { status: 'FAILED', message, ...(cause === undefined ? {} : { cause }) };
}

/** What it came to is in the repository, or, where it came to nothing, in the state for a while. */
async function endOf(
  context: ActionContext,
  repository: string,
  name: string,
  untilMs: number,
): Promise<SnapshotRecord | QuarryError | 'missing' | 'late'> {
  let failure: QuarryError | undefined;
  for (;;) {
    const listed = await find(context, repository, name);
    if (listed === undefined) return failure ?? 'missing';
    if (listed.kind === 'finished') return recordOf(listed);
    const leftMs = untilMs - context.clock.nowMs();
    if (leftMs <= 0) return 'late';
    const { uuid } = listed.operation;
    const state = await context.whenState(
      ({ snapshotOperations }) => snapshotOperations.get(uuid)?.outcome !== undefined || !snapshotOperations.has(uuid),
      Math.min(leftMs, WAIT_MS),
      context.cancellation,
    );
    context.cancellation.throwIfCancelled();
    const failed = state?.snapshotOperations.get(uuid)?.outcome?.failure;
    if (failed !== undefined) failure = new QuarryError(failed.type, failed.reason);
  }
}

async function find(context: ActionContext, repository: string, name: string): Promise<ListedSnapshot | undefined> {
  return (await listSnapshots(context, repository)).find((listed) => nameOf(listed) === name);
}
