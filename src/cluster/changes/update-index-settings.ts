/** `PUT {index}/_settings`. */
import { QuarryError } from '../../base/errors.js';
import type { JsonObject } from '../../base/json-value.js';
import type { IndexId } from '../state.js';
import type { ClusterState } from '../state.js';
import type { Change, ChangeEnvironment } from './change.js';

export interface UpdateIndexSettingsInput {
  readonly indices: readonly IndexId[];
  /** As the API got them; `null` removes a setting. */
  readonly settings: JsonObject;
  readonly preserveExisting?: boolean;
}

export function updateIndexSettings(
  state: ClusterState,
  input: UpdateIndexSettingsInput,
  environment: ChangeEnvironment,
): Change<null> {
  void input;
  void environment;
  throw new QuarryError('internal_error', `[updateIndexSettings] is not carried out yet, at version ${state.version}`);
}
