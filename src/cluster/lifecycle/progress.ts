/** Where an index stands in its policy, and what is due next. Pure: the clock is an argument. */
import type { ClusterState, IndexMetadata, LifecycleProgress } from '../state.js';
import { parsePhases, PHASES, type LifecyclePolicy, type Phase, type PhaseAction, type PhaseName } from './policy.js';
import { rolledOverAtMs, rolloverTargetOf } from './rollover-target.js';

export interface DueStep {
  readonly phase: PhaseName;
  /** Undefined: the index has reached the phase, and no more. */
  readonly action: PhaseAction | undefined;
}

/** From when ages count. */
export function lifecycleDateMs(state: ClusterState, index: IndexMetadata): number {
  return originationDateMs(index) ?? rolledOverAtMs(index, rolloverTargetOf(state, index)) ?? index.creationDateMs;
}

/** What the user says of the age of its documents. */
export function originationDateMs({ settings }: IndexMetadata): number | undefined {
  const given = settings.get('index.lifecycle.origination_date');
  return typeof given === 'string' && Number(given) >= 0 ? Number(given) : undefined;
}

/** The setting that names a policy. */
export const LIFECYCLE_NAME = 'index.lifecycle.name';

/** The name of the policy that the index goes through. */
export function policyOf(index: IndexMetadata): string | undefined {
  const name = index.settings.get(LIFECYCLE_NAME);
  return typeof name === 'string' && name !== '' ? name : undefined;
}

/** Undefined: nothing is to be done now. A step that failed is due as before. */
export function dueStep(
  state: ClusterState,
  index: IndexMetadata,
  policy: LifecyclePolicy,
  nowMs: number,
): DueStep | undefined {
  const { lifecycle } = index;
  const phases = parsePhases(policy.policy);
  const at = phases.findIndex(({ name }) => name === lifecycle?.phase);
  const current = phases[at];
  const waiting = current === undefined ? undefined : current.actions.find(({ name }) => !isDone(lifecycle, name));
  if (current !== undefined && waiting !== undefined) return { phase: current.name, action: waiting };
  const next = at === -1 ? firstPhase(phases, lifecycle) : phases[at + 1];
  if (next === undefined || nowMs - lifecycleDateMs(state, index) < next.minAgeMs) return undefined;
  return { phase: next.name, action: undefined };
}

/** A policy may have lost the phase that the index is in. */
function firstPhase(phases: readonly Phase[], lifecycle: LifecycleProgress | undefined): Phase | undefined {
  if (lifecycle === undefined) return phases[0];
  const order: readonly string[] = PHASES;
  return phases.find(({ name }) => order.indexOf(name) > order.indexOf(lifecycle.phase));
}

function isDone(lifecycle: LifecycleProgress | undefined, action: string): boolean {
  return lifecycle?.done.includes(action) === true;
}
