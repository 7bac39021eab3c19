/** `PUT _cluster/settings`. */
import { QuarryError } from '../../base/errors.js';
import type { JsonObject } from '../../base/json-value.js';
import type { ClusterState } from '../state.js';
import type { Change, ChangeEnvironment } from './change.js';

export interface UpdateClusterSettingsInput {
  readonly persistent: JsonObject;
  readonly transient: JsonObject;
}

export function updateClusterSettings(
  state: ClusterState,
  input: UpdateClusterSettingsInput,
  environment: ChangeEnvironment,
): Change<null> {
  void input;
  void environment;
  throw new QuarryError(
    'internal_error',
    `[updateClusterSettings] is not carried out yet, at version ${state.version}`,
  );
}
