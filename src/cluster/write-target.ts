/** Where documents and searches of a name go: write indices, filters and routings of aliases. */
import { illegalArgument } from '../base/errors.js';
import type { JsonObject } from '../base/json-value.js';
import { aliasTable, writeTarget } from './aliases.js';
import { resolveDateMathName } from './date-math-name.js';
import { aliasRequired, expandExpressions, indexClosed, indexNotFound, resolveIndices } from './index-expression.js';
import { IndicesDefaults, type IndicesOptions } from './indices-options.js';
import type { ClusterState, IndexMetadata } from './state.js';

export interface WriteTarget {
  readonly index: IndexMetadata;
  /** The alias's own routing, for documents that bring none. */
  readonly routing?: string;
}

/**
 * The index that a document written to `name` goes to; undefined when there is no such index or alias, so that it may
 * be created. `resolveDateMathName(name)` is then the name to create.
 */
export function resolveWriteTarget(
  state: ClusterState,
  name: string,
  options: { readonly nowMs: number; readonly requireAlias?: boolean },
): WriteTarget | undefined {
  const literal = resolveDateMathName(name, options.nowMs);
  const index = state.indices.get(literal);
  if (index !== undefined) {
    if (options.requireAlias === true) throw aliasRequired(literal);
    if (index.state === 'close') throw indexClosed(index);
    return { index };
  }
  const targets = aliasTable(state).get(literal);
  if (targets === undefined) {
    if (options.requireAlias === true) throw aliasRequired(literal);
    return undefined;
  }
  const target = writeTarget(targets);
  if (target === undefined) {
    throw illegalArgument(
      `no write index is defined for alias [${literal}]. The write index may be explicitly disabled using ` +
        'is_write_index=false or the alias points to multiple indices without one being designated as a write index',
    );
  }
  if (target.index.state === 'close') throw indexClosed(target.index);
  const { indexRouting } = target.metadata;
  return { index: target.index, ...(indexRouting === undefined ? {} : { routing: indexRouting }) };
}

/** The one index that a document is read from. */
export function resolveSingleIndex(state: ClusterState, name: string, nowMs: number): IndexMetadata {
  const [index] = resolveIndices(state, [name], IndicesDefaults.single, nowMs);
  if (index === undefined) throw indexNotFound(name);
  return index;
}

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
