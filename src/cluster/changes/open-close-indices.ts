/** `POST {index}/_open` and `_close`. */
import { QuarryError } from '../../base/errors.js';
import type { IndicesInput } from './delete-indices.js';
import type { ClusterState } from '../state.js';
import type { Change, ChangeEnvironment } from './change.js';

export function closeIndices(state: ClusterState, input: IndicesInput, environment: ChangeEnvironment): Change<null> {
  void input;
  void environment;
  throw new QuarryError('internal_error', `[closeIndices] is not carried out yet, at version ${state.version}`);
}

export function openIndices(state: ClusterState, input: IndicesInput, environment: ChangeEnvironment): Change<null> {
  void input;
  void environment;
  throw new QuarryError('internal_error', `[openIndices] is not carried out yet, at version ${state.version}`);
}
