/** Actions of lifecycle policies that put another index in the place of the one they are for: one part after the other, as far as a round goes. */
import type { JsonObject } from '../../base/json-value.js';
import type { ClusterState, IndexId, IndexMetadata } from '../../cluster/state.js';
import type { ActionContext } from '../context.js';
import type { StepOutcome } from './step-outcome.js';

/** What is next; `Making` is how the action makes the other index. */
export type HeirPlan<Making> =
  | { readonly next: 'skip' }
  | { readonly next: 'wait' }
  | { readonly next: 'settings'; readonly settings: JsonObject }
  | { readonly next: 'replace'; readonly target: IndexId }
  | Making;

export interface HeirAction<Making> {
  readonly plan: (state: ClusterState, index: IndexMetadata) => HeirPlan<Making>;
  readonly make: (index: IndexMetadata, how: Making) => Promise<void>;
  /** The command by which the other index takes the place. */
  readonly replace: 'replace-shrunken' | 'replace-mounted';
}

/** Preparing twice, making twice, replacing. */
const STEPS_MAX = 5;

export async function towardsHeir<Making extends { readonly next: 'make' }>(
  context: ActionContext,
  { name, uuid }: IndexId,
  { plan, make, replace }: HeirAction<Making>,
  masterTimeoutMs: number,
): Promise<StepOutcome> {
  const wait = { timeoutMs: masterTimeoutMs };
  for (let step = 0; step < STEPS_MAX; step++) {
    const index = context.clusterState().indices.get(name);
    if (index?.uuid !== uuid) return 'gone';
    const planned = plan(context.clusterState(), index);
    switch (planned.next) {
      case 'skip':
        return 'done';
      case 'wait':
        return 'not-yet';
      case 'settings': {
        const update = { indices: [{ name, uuid }], settings: planned.settings };
        await context.coordinator.submit('update-index-settings', update, wait);
        break;
      }
      case 'make':
        await make(index, planned);
        break;
      case 'replace':
        await context.coordinator.submit(replace, { source: { name, uuid }, target: planned.target }, wait);
        return 'gone';
    }
  }
  return 'not-yet';
}
