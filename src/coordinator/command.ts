/**
 * Commands: the only way to change the cluster state. Each names itself and holds plain data, so that it can cross
 * threads; its reducer is pure, so that it can be tested by a call.
 */
import type { ChangeEnvironment } from '../cluster/changes/change.js';
import type { ClusterState } from '../cluster/state.js';

/** What a reducer may know besides the state: nothing that it could read for itself. */
export type ReducerEnvironment = ChangeEnvironment;

export interface Reduction<Result> {
  /** The same object when nothing changed: then nothing is written or published. */
  readonly state: ClusterState;
  readonly result: Result;
}

export interface CommandDefinition<Name extends string, Input, Result> {
  readonly name: Name;
  reduce(state: ClusterState, input: Input, environment: ReducerEnvironment): Reduction<Result>;
}

/** Input and result must survive a structured clone. */
export function defineCommand<const Name extends string, Input, Result>(
  name: Name,
  reduce: CommandDefinition<Name, Input, Result>['reduce'],
): CommandDefinition<Name, Input, Result> {
  return { name, reduce };
}
