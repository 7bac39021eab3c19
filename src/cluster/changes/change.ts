/** What every reducer of the cluster state takes and gives. A reducer is pure: it either throws or gives a new state. */
import type { ClusterState } from '../state.js';

export interface ChangeEnvironment {
  readonly nowMs: number;
  newUuid(): string;
}

export interface Change<Result> {
  /** The same object when nothing changed. */
  readonly state: ClusterState;
  readonly result: Result;
}
