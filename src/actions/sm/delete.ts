/** The deletion of a policy of snapshot management: what its condition lets go, all at once. */
import { splitList } from '../../base/split-list.js';
import type { SmPolicy, SmRun } from '../../cluster/sm/types.js';
import { snapshotsToDelete } from '../../cluster/sm/condition.js';
import { matchesAny } from '../../cluster/names/wildcard.js';
import type { RootSnapshot } from '../../repositories/format.js';
import type { ActionContext } from '../context.js';
import { deleteSnapshots } from '../snapshots/create-snapshot.js';
import { listSnapshots } from '../snapshots/list-snapshots.js';
import { timeLimitExceeded, type RunEnd, type RunOfPolicy } from './run-of-policy.js';

const BEGIN_MS_MAX = 600_000;
/** Snapshots that a message names: a policy may let hundreds go at once, and the cluster state keeps the message. */
const NAMED_MAX = 100;

/** Its own snapshots, and those whose names match the pattern; of these it takes only what has ended. */
export async function beginDeletion(
  context: ActionContext,
  name: string,
  { definition }: SmPolicy,
): Promise<SmRun['snapshots']> {
  const { deletion, snapshotConfig } = definition;
  if (deletion === undefined) return [];
  const patterns = splitList(deletion.snapshotPattern ?? '');
  const isOf = (snapshot: RootSnapshot): boolean => snapshot.smPolicy === name || matchesAny(patterns, snapshot.name);
  const listed = await listSnapshots(context, snapshotConfig.repository);
  const ended = listed.flatMap((each) => (each.kind === 'finished' ? [each.summary] : []));
  const old = snapshotsToDelete(deletion.condition, ended.filter(isOf), context.clock.nowMs());
  return old.map((snapshot) => ({ name: snapshot.name, uuid: snapshot.uuid }));
}

export async function goOnDeleting(context: ActionContext, of: RunOfPolicy): Promise<RunEnd> {
  const { run, note } = of;
  const names = namesIn(run.snapshots);
  const uuids = new Set(run.snapshots.map(({ uuid }) => uuid));
  if (!run.isBegun) {
    const message = `Snapshots ${names} deletion has been started and waiting for completion.`;
    await note({ status: 'IN_PROGRESS', message });
  }
  // Those that are gone already were deleted before: nothing is left to do where all are.
  const deleted = deleteSnapshots(
    context,
    run.repository,
    (all) => all.filter(({ uuid }) => uuids.has(uuid)),
    BEGIN_MS_MAX,
  );
  if ((await within(context, deleted, of.untilMs)) === 'late') return timeLimitExceeded(of, 'deletion');
  return { status: 'SUCCESS', message: `Snapshot(s) ${names} deletion has finished.` };
}

export function namesIn(snapshots: SmRun['snapshots']): string {
  const named = snapshots.slice(0, NAMED_MAX).map(({ name }) => name);
  const more = snapshots.length - named.length;
  return `[${[...named, ...(more === 0 ? [] : [`and ${more} more`])].join(', ')}]`;
}

/** Rejects as the work does. What comes after the time is over is of no interest. */
async function within({ clock }: ActionContext, work: Promise<unknown>, untilMs: number): Promise<'done' | 'late'> {
  const done = work.then(() => 'done' as const);
  if (untilMs === Infinity) return done;
  let stop = (): void => undefined;
  const late = new Promise<'late'>((resolve) => {
    stop = clock.schedule(Math.max(0, untilMs - clock.nowMs()), () => {
      resolve('late');
    });
  });
  return Promise.race([done, late]).finally(() => {
    stop();
  });
}
