/** `POST _aliases` and the single-alias endpoints. */
import { QuarryError } from '../../base/errors.js';
import type { AliasMetadata, IndexId } from '../state.js';
import type { ClusterState } from '../state.js';
import type { Change, ChangeEnvironment } from './change.js';

export type AliasAction =
  | { readonly kind: 'add'; readonly index: IndexId; readonly alias: string; readonly metadata: AliasMetadata }
  | { readonly kind: 'remove'; readonly index: IndexId; readonly alias: string }
  | { readonly kind: 'remove_index'; readonly index: IndexId };

export interface UpdateAliasesInput {
  /** All are carried out, or none. */
  readonly actions: readonly AliasAction[];
}

export function updateAliases(
  state: ClusterState,
  input: UpdateAliasesInput,
  environment: ChangeEnvironment,
): Change<null> {
  void input;
  void environment;
  throw new QuarryError('internal_error', `[updateAliases] is not carried out yet, at version ${state.version}`);
}
