/** A run of a policy of snapshot management, as those who carry it out get it, and what came of it. */
import type { NoteSmRunInput } from '../../cluster/changes/snapshots/sm-runs.js';
import type { SmPolicy, SmRun, SmWorkflowName } from '../../cluster/sm/types.js';

export type RunEnd = Pick<NoteSmRunInput, 'status' | 'message' | 'cause'>;

export interface RunOfPolicy {
  readonly name: string;
  readonly policy: SmPolicy;
  readonly run: SmRun;
  /** The end of the time that it may take, by `clock.nowMs`; `Infinity`: as long as it likes. */
  readonly untilMs: number;
  readonly note: (noted: RunEnd) => Promise<void>;
}

export function timeLimitExceeded({ policy }: RunOfPolicy, workflow: SmWorkflowName): RunEnd {
  const limit = policy.definition[workflow]?.timeLimit ?? '';
  const cause = `Time limit ${limit} exceeded during snapshot ${workflow} step`;
  return { status: 'TIME_LIMIT_EXCEEDED', cause };
}
