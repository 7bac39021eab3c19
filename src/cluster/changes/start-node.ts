/** A node starts: its shards are assigned to its workers again. */
import { QuarryError } from '../../base/errors.js';
import type { NodeRecord } from '../state.js';
import type { ClusterState } from '../state.js';
import type { Change, ChangeEnvironment } from './change.js';

export interface StartNodeInput {
  readonly node: NodeRecord;
}

export function startNode(state: ClusterState, input: StartNodeInput, environment: ChangeEnvironment): Change<null> {
  void input;
  void environment;
  throw new QuarryError('internal_error', `[startNode] is not carried out yet, at version ${state.version}`);
}
