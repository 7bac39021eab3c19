/** A worker is asked whether it still writes into a repository for snapshots that were stopped. */
import { QuarryError } from '../../base/errors.js';
import { defineNodeAction } from './node-action.js';

export interface SnapshotsStoppedInput {
  readonly snapshotUuids: readonly string[];
  /** Of a state that says that they are not wanted. */
  readonly stateVersion: number;
  readonly waitMs: number;
}

/** Answers when it does not, and will not again: from that state on it begins nothing for them. */
export const snapshotsStopped = defineNodeAction(
  'snapshots-stopped',
  async (context, { snapshotUuids, stateVersion, waitMs }: SnapshotsStoppedInput): Promise<null> => {
    const { cancellation, repositories } = context;
    const state = await context.whenState(({ version }) => version >= stateVersion, waitMs, cancellation);
    if (state === undefined) {
      throw new QuarryError('illegal_state_exception', `version [${stateVersion}] of the cluster state did not come`);
    }
    await Promise.all(snapshotUuids.map((uuid) => repositories.writers.whenNone(uuid)));
    return null;
  },
);
