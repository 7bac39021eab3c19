/** The index part of a path, and what resolves it. */
import type { ActionContext } from '../../actions/context.js';
import { resolveIndices } from '../../cluster/names/index-expression.js';
import { indicesOptions, type IndicesOptions, type IndicesParameters } from '../../cluster/names/indices-options.js';
import type { IndexId, IndexMetadata } from '../../cluster/state.js';
import { booleanParameter, splitList, timeParameter } from '../parameters.js';

/** Parameters of reads of the cluster state; the state is at hand, so that they change nothing. */
export const stateReadParameters = {
  local: booleanParameter(),
  master_timeout: timeParameter(30_000),
  cluster_manager_timeout: timeParameter(30_000),
} as const;

/** Nothing named means every index. A comma inside a date math name separates nothing. */
export function indexNames(part: string | undefined): readonly string[] {
  if (part === undefined) return [];
  return part.includes('<') ? splitOutsideBrackets(part) : splitList(part);
}

function splitOutsideBrackets(part: string): readonly string[] {
  return (part.match(/(?:<[^>]*>|[^,<])+/g) ?? []).map((name) => name.trim());
}

/** The indices that a request names. */
export function namedIndices(
  context: ActionContext,
  part: string | undefined,
  defaults: IndicesOptions,
  parameters: IndicesParameters,
): readonly IndexMetadata[] {
  const options = indicesOptions(defaults, parameters);
  return resolveIndices(context.clusterState(), indexNames(part), options, context.clock.nowMs());
}

/** What crosses to the coordinator: a command finds out itself whether the indices are still the same. */
export function idsOf(indices: readonly IndexMetadata[]): readonly IndexId[] {
  return indices.map(({ name, uuid }) => ({ name, uuid }));
}

/** How long to wait for the coordinator: one parameter under its old and its new name. */
export function masterTimeoutMs(
  parameters: { readonly master_timeout: number; readonly cluster_manager_timeout: number },
  sent: ReadonlySet<string>,
): number {
  return sent.has('cluster_manager_timeout') ? parameters.cluster_manager_timeout : parameters.master_timeout;
}
