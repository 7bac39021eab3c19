/** `PUT {index}` and automatic index creation. */
import { QuarryError } from '../../base/errors.js';
import type { JsonObject } from '../../base/json-value.js';
import type { FlatSettings } from '../flat-settings.js';
import type { IndexId } from '../state.js';
import type { ClusterState } from '../state.js';
import type { Change, ChangeEnvironment } from './change.js';

export interface CreateIndexInput {
  readonly name: string;
  /** As the API got them: nested or flat, with or without `index.`. */
  readonly settings?: JsonObject;
  readonly mappings?: JsonObject;
  readonly aliases?: JsonObject;
  /** Values for settings that the request leaves out: `index.*` of the node's configuration. */
  readonly defaults?: FlatSettings;
  /** An index that is there already is the result instead of an error: for creation by the first document. */
  readonly ifAbsent?: boolean;
}

export interface CreateIndexResult {
  readonly index: IndexId;
  readonly created: boolean;
}

export function createIndex(
  state: ClusterState,
  input: CreateIndexInput,
  environment: ChangeEnvironment,
): Change<CreateIndexResult> {
  void input;
  void environment;
  throw new QuarryError('internal_error', `[createIndex] is not carried out yet, at version ${state.version}`);
}
