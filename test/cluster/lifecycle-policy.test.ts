import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../src/base/json-value.js';
import { createIndex } from '../../src/cluster/changes/indices/create-index.js';
import {
  deleteLifecyclePolicy,
  lifecycleStep,
  putLifecyclePolicy,
  type LifecycleStepInput,
} from '../../src/cluster/changes/lifecycle-policies.js';
import { checkPolicy, parsePhases } from '../../src/cluster/lifecycle/policy.js';
import { dueStep } from '../../src/cluster/lifecycle/progress.js';
import { decodeState, encodeState } from '../../src/cluster/state-codec.js';
import type { ClusterState } from '../../src/cluster/state.js';
import { clusterOfOneNode, environment, indexOf, NOW_MS } from './support.js';

const PHASES: JsonObject = {
  hot: { actions: { set_priority: { priority: 1 } } },
  cold: { min_age: '2d', actions: { readonly: {}, allocate: { number_of_replicas: 0 } } },
};
const DAY_MS = 86_400_000;

function managed(): ClusterState {
  const policy = checkPolicy({ policy: { phases: PHASES } });
  const state = putLifecyclePolicy(clusterOfOneNode(), { name: 'p', policy }, environment()).state;
  return createIndex(state, { name: 'a', settings: { 'index.lifecycle.name': 'p' } }, environment()).state;
}

function step(state: ClusterState, change: LifecycleStepInput['change']): ClusterState {
  return lifecycleStep(state, { index: indexOf(state, 'a'), change }, environment()).state;
}

/** Phase and action that are due, or nothing. */
function due(state: ClusterState, ageMs: number): string {
  const policy = state.lifecyclePolicies.get('p');
  const found = policy === undefined ? undefined : dueStep(state, indexOf(state, 'a'), policy, NOW_MS + ageMs);
  return found === undefined ? '' : `${found.phase} ${found.action?.name ?? ''}`.trim();
}

describe('an index in its policy', () => {
  it('enters a phase when it is old enough and all before is done', () => {
    let state = managed();
    expect(due(state, 0)).toBe('hot');
    state = step(state, { kind: 'enter', from: undefined, phase: 'hot' });
    expect(due(state, 9 * DAY_MS)).toBe('hot set_priority');
    state = step(state, { kind: 'done', phase: 'hot', action: 'set_priority' });
    expect(due(state, 2 * DAY_MS - 1)).toBe('');
    expect(due(state, 2 * DAY_MS)).toBe('cold');
    state = step(state, { kind: 'enter', from: 'hot', phase: 'cold' });
    expect(due(state, 2 * DAY_MS)).toBe('cold readonly');
    for (const action of ['readonly', 'allocate']) state = step(state, { kind: 'done', phase: 'cold', action });
    expect(due(state, 99 * DAY_MS)).toBe('cold migrate');
    state = step(state, { kind: 'done', phase: 'cold', action: 'migrate' });
    expect(due(state, 99 * DAY_MS)).toBe('');
    expect(decodeState(encodeState(state))).toEqual(state);
  });

  it('tries what failed again, and tells of the failure until then', () => {
    const failed = step(step(managed(), { kind: 'enter', from: undefined, phase: 'hot' }), {
      kind: 'failed',
      phase: 'hot',
      action: 'set_priority',
      reason: 'why',
    });
    expect(due(failed, DAY_MS)).toBe('hot set_priority');
    expect(indexOf(failed, 'a').lifecycle?.failure).toEqual({ action: 'set_priority', reason: 'why' });
    const again = { kind: 'failed', phase: 'hot', action: 'set_priority', reason: 'why' } as const;
    expect(step(failed, again)).toBe(failed);
    for (const change of [{ kind: 'retry' }, { ...again, kind: 'done' }] as const) {
      expect(indexOf(step(failed, change), 'a').lifecycle?.failure).toBeUndefined();
    }
    expect(() => step(managed(), { kind: 'retry' })).toThrow('is not managed by a lifecycle policy yet');
  });

  it('takes no notice of what a step did in a phase that it has left', () => {
    const cold = step(managed(), { kind: 'move', from: 'new', phase: 'cold', action: undefined });
    expect(step(cold, { kind: 'done', phase: 'hot', action: 'readonly' })).toBe(cold);
    expect(step(cold, { kind: 'enter', from: 'hot', phase: 'cold' })).toBe(cold);
    const done = step(cold, { kind: 'done', phase: 'cold', action: 'readonly' });
    expect(step(done, { kind: 'failed', phase: 'cold', action: 'readonly', reason: 'late' })).toBe(done);
    expect(step(done, { kind: 'done', phase: 'cold', action: 'readonly' })).toBe(done);
  });

  it('gets its priority before it waits for its rollover', () => {
    const hot = { actions: { rollover: { max_docs: 1 }, set_priority: { priority: 1 } } };
    const [phase] = parsePhases({ phases: { hot } });
    expect(phase?.actions.map(({ name }) => name)).toEqual(['set_priority', 'rollover']);
  });

  it('is not promised an action that says nothing', () => {
    const policy = { phases: { delete: { min_age: '1d', actions: { delete: null } } } };
    expect(() => checkPolicy({ policy })).toThrow('[phases.delete.actions.delete] must be an object, found [null]');
  });

  it('can be moved, and freed', () => {
    const move = { kind: 'move', from: 'new', phase: 'cold', action: 'allocate' } as const;
    expect(due(step(managed(), move), 0)).toBe('cold allocate');
    expect(() => step(managed(), { ...move, from: 'hot' })).toThrow('is in phase [new], not in [hot]');
    expect(() => step(managed(), { ...move, phase: 'warm' })).toThrow('has no phase [warm]');
    const freed = step(managed(), { kind: 'forget' });
    expect(indexOf(freed, 'a').settings.has('index.lifecycle.name')).toBe(false);
    expect(deleteLifecyclePolicy(freed, { name: 'p' }, environment()).state.lifecyclePolicies.size).toBe(0);
    expect(() => deleteLifecyclePolicy(managed(), { name: 'p' }, environment())).toThrow(
      'in use by one or more indices: [a]',
    );
  });
});
