/** Where searches of a name go: the indices, and the filters and routings of the aliases that led there. */
import type { JsonObject } from '../base/json-value.js';
import { expandExpressions, resolveIndices } from './index-expression.js';
import type { IndicesOptions } from './indices-options.js';
import type { ClusterState, IndexMetadata } from './state.js';

export interface SearchTarget {
  readonly index: IndexMetadata;
  /** A document must match one of these; empty when the index was named without a filtering alias. */
  readonly filters: readonly JsonObject[];
  /** Routings of the aliases that led here; undefined when all shards are searched. */
  readonly routings: ReadonlySet<string> | undefined;
}

/** The indices of a search, with what the aliases that name them demand. */
export function resolveSearchTargets(
  state: ClusterState,
  expressions: readonly string[],
  options: IndicesOptions,
  nowMs: number,
): readonly SearchTarget[] {
  const indices = resolveIndices(state, expressions, options, nowMs);
  const asked = expressions.length === 0 ? ['_all'] : expressions;
  const names = expandExpressions(state, asked, options, nowMs, 'aliases');
  return indices.map((index) => searchTarget(index, names));
}

function searchTarget(index: IndexMetadata, names: ReadonlySet<string>): SearchTarget {
  const used = [...index.aliases].flatMap(([alias, metadata]) => (names.has(alias) ? [metadata] : []));
  if (names.has(index.name) || used.length === 0) return { index, filters: [], routings: undefined };
  const filters = used.flatMap(({ filter }) => (filter === undefined ? [] : [filter]));
  const routings = used.flatMap(({ searchRouting }) => searchRouting?.split(',') ?? []);
  const isRouted = used.every(({ searchRouting }) => searchRouting !== undefined);
  return {
    index,
    filters: filters.length === used.length ? filters : [],
    routings: isRouted ? new Set(routings) : undefined,
  };
}
