/** `DELETE {index}`. */
import { QuarryError } from '../../base/errors.js';
import type { IndexId } from '../state.js';
import type { ClusterState } from '../state.js';
import type { Change, ChangeEnvironment } from './change.js';

export interface IndicesInput {
  readonly indices: readonly IndexId[];
}

export function deleteIndices(state: ClusterState, input: IndicesInput, environment: ChangeEnvironment): Change<null> {
  void input;
  void environment;
  throw new QuarryError('internal_error', `[deleteIndices] is not carried out yet, at version ${state.version}`);
}
