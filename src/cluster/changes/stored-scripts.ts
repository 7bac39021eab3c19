/** `PUT` and `DELETE _scripts/{id}`. Whether a script compiles is checked before. */
import { QuarryError } from '../../base/errors.js';
import type { ClusterState, StoredScript } from '../state.js';
import { nextState, type Change, type ChangeEnvironment } from './change.js';

export interface PutStoredScriptInput {
  readonly id: string;
  readonly script: StoredScript;
}

export function putStoredScript(
  state: ClusterState,
  { id, script }: PutStoredScriptInput,
  environment: ChangeEnvironment,
): Change<null> {
  const storedScripts = new Map(state.storedScripts).set(id, script);
  return { state: nextState(state, { storedScripts }, environment), result: null };
}

export function deleteStoredScript(
  state: ClusterState,
  { id }: { readonly id: string },
  environment: ChangeEnvironment,
): Change<null> {
  if (!state.storedScripts.has(id)) {
    throw new QuarryError('resource_not_found_exception', `stored script [${id}] does not exist and cannot be deleted`);
  }
  const storedScripts = new Map(state.storedScripts);
  storedScripts.delete(id);
  return { state: nextState(state, { storedScripts }, environment), result: null };
}
