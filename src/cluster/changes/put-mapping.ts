/** `PUT {index}/_mapping`, and fields that documents brought. */
import { QuarryError } from '../../base/errors.js';
import type { JsonObject } from '../../base/json-value.js';
import type { UnmappedField } from '../../mapping/types.js';
import type { IndexId } from '../state.js';
import type { ClusterState } from '../state.js';
import type { Change, ChangeEnvironment } from './change.js';

export interface PutMappingInput {
  readonly indices: readonly IndexId[];
  readonly mapping: JsonObject;
}

export interface AddDynamicFieldsInput {
  readonly index: IndexId;
  readonly fields: readonly UnmappedField[];
}

export interface AddDynamicFieldsResult {
  readonly mappingVersion: number;
}

export function addDynamicFields(
  state: ClusterState,
  input: AddDynamicFieldsInput,
  environment: ChangeEnvironment,
): Change<AddDynamicFieldsResult> {
  void input;
  void environment;
  throw new QuarryError('internal_error', `[addDynamicFields] is not carried out yet, at version ${state.version}`);
}

export function putMapping(state: ClusterState, input: PutMappingInput, environment: ChangeEnvironment): Change<null> {
  void input;
  void environment;
  throw new QuarryError('internal_error', `[putMapping] is not carried out yet, at version ${state.version}`);
}
