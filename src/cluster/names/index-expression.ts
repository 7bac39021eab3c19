/**
 * Index expressions to indices: names, aliases, wildcards, exclusions (`-name` after a wildcard), date math names, `_all`.
 */
import { illegalArgument, QuarryError, type ErrorDetails } from '../../base/errors.js';
import { aliasTable } from '../aliases/aliases.js';
import { backingIndices } from '../data-streams/data-streams.js';
import { mayUseName, requireNames } from '../security/index-access.js';
import { resolveDateMathName } from './date-math-name.js';
import { invalidIndexName } from './index-name.js';
import type { IndicesOptions } from './indices-options.js';
import { booleanSetting } from '../settings/index-values.js';
import type { ClusterState, IndexMetadata } from '../state.js';
import { isPattern, patternMatcher } from './wildcard.js';

export const ALL_INDICES = '_all';
/** What the API adds to the name of a data stream for documents that it could not take. */
const FAILURES = '::failures';

/** The indices that the expressions name, in order of their names. No expression means all. */
export function resolveIndices(
  state: ClusterState,
  expressions: readonly string[],
  options: IndicesOptions,
  nowMs: number,
): readonly IndexMetadata[] {
  const asked = expressions.length === 0 ? [ALL_INDICES] : expressions;
  const names = expandExpressions(state, asked, options, nowMs, 'indices');
  const failWhenMissing = asked.length === 1 ? !options.allowNoIndices : !options.ignoreUnavailable;
  const found = new Map<string, IndexMetadata>();
  for (const name of names) {
    for (const index of indicesOf(state, name, options, failWhenMissing)) found.set(index.name, index);
  }
  if (found.size === 0 && !options.allowNoIndices) {
    const [only] = asked;
    throw only === ALL_INDICES ? noIndicesExist() : indexNotFound(asked.join(','), 'index_expression', asked);
  }
  return [...found.values()].sort((left, right) => (left.name < right.name ? -1 : 1));
}

function indicesOf(
  state: ClusterState,
  name: string,
  options: IndicesOptions,
  failWhenMissing: boolean,
): readonly IndexMetadata[] {
  const index = state.indices.get(name);
  if (index !== undefined) return usable([index], options);
  const stream = state.dataStreams.get(name);
  if (stream !== undefined) {
    if (!options.ignoreAliases) return usable(backingIndices(state, stream), options);
    if (failWhenMissing) throw nameRefused(name, 'a data stream');
    return [];
  }
  const targets = aliasTable(state).get(name);
  if (targets === undefined) {
    if (failWhenMissing) throw name === ALL_INDICES ? noIndicesExist() : indexNotFound(name, 'index_expression');
    return [];
  }
  if (options.ignoreAliases) {
    if (failWhenMissing) throw nameRefused(name, 'an alias');
    return [];
  }
  if (targets.length > 1 && !options.allowAliasesToMultipleIndices) {
    const names = targets.map((target) => target.index.name);
    throw illegalArgument(
      `alias [${name}] has more than one index associated with it [${names.join(', ')}], can't execute a single index op`,
    );
  }
  return usable(
    targets.map((target) => target.index),
    options,
  );
}

function usable(indices: readonly IndexMetadata[], options: IndicesOptions): readonly IndexMetadata[] {
  if (!options.forbidClosed) return indices;
  return indices.filter((index) => {
    if (index.state === 'open') return true;
    if (options.ignoreUnavailable) return false;
    throw indexClosed(index);
  });
}

/**
 * Names of indices and aliases after wildcards and exclusions. With `preserve: 'aliases'` an alias that a wildcard
 * matches stays an alias, else its indices take its place.
 */
export function expandExpressions(
  state: ClusterState,
  expressions: readonly string[],
  options: IndicesOptions,
  nowMs: number,
  preserve: 'aliases' | 'indices',
): ReadonlySet<string> {
  const literal = allowedNames(
    state,
    expressions.map((expression) => resolveDateMath(expression, nowMs)),
    options,
  );
  if (!options.expandOpen && !options.expandClosed) return new Set(literal);
  // Where an index may be reached by its alias alone, aliases count as well.
  if (state.access === undefined && literal.length === 1 && (literal[0] === ALL_INDICES || literal[0] === '*')) {
    return new Set(namesReached(state, '*', options, 'indices', true));
  }
  const result = new Set<string>();
  let wildcardSeen = false;
  for (const expression of literal) {
    checkExpression(expression);
    const exists = state.indices.has(expression) || (!options.ignoreAliases && isCommonName(state, expression));
    if (exists) {
      result.add(expression);
      continue;
    }
    const excluded = expression.startsWith('-') && wildcardSeen;
    const name = excluded ? expression.slice(1) : expression;
    if (!isPattern(name) && name !== ALL_INDICES) {
      if (!options.ignoreUnavailable && !state.indices.has(name)) requireAliasOrFail(state, name, options);
      if (excluded) leaveOut(state, result, name);
      else result.add(name);
      continue;
    }
    wildcardSeen = true;
    const reached = namesReached(state, name === ALL_INDICES ? '*' : name, options, preserve, false);
    for (const each of reached) {
      if (excluded) result.delete(each);
      else result.add(each);
    }
    if (!options.allowNoIndices && reached.length === 0) throw indexNotFound(name, 'index_or_alias');
  }
  return result;
}

/** A data stream goes with its indices, in whose names a pattern does not find it. */
function leaveOut({ dataStreams }: ClusterState, names: Set<string>, name: string): void {
  names.delete(name);
  for (const index of dataStreams.get(name)?.indices ?? []) names.delete(index.name);
}

/** Without the names that the request may not use, or an error that names them. */
function allowedNames(state: ClusterState, literal: readonly string[], options: IndicesOptions): readonly string[] {
  if (state.access === undefined) return literal;
  const isName = (name: string): boolean => !isPattern(name) && name !== ALL_INDICES && !name.startsWith('-');
  if (options.ignoreUnavailable) return literal.filter((name) => !isName(name) || mayUseName(state, name));
  requireNames(state, literal.filter(isName));
  return literal;
}

function requireAliasOrFail(state: ClusterState, name: string, options: IndicesOptions): void {
  if (!isCommonName(state, name)) throw indexNotFound(name, 'index_or_alias');
  if (options.ignoreAliases) throw nameRefused(name, state.dataStreams.has(name) ? 'a data stream' : 'an alias');
}

/** A name that stands for indices. */
function isCommonName(state: ClusterState, name: string): boolean {
  return aliasTable(state).has(name) || state.dataStreams.has(name);
}

function checkExpression(expression: string): void {
  if (expression === '') throw indexNotFound(expression, 'index_or_alias');
  if (expression.endsWith(FAILURES)) {
    throw illegalArgument(`failure stores of data streams are not supported: [${expression}]`);
  }
  if (expression.startsWith('_') && expression !== ALL_INDICES) {
    throw invalidIndexName(expression, "must not start with '_'.");
  }
}

/** The names that a pattern reaches under the options. */
function namesReached(
  state: ClusterState,
  pattern: string,
  options: IndicesOptions,
  preserve: 'aliases' | 'indices',
  indicesOnly: boolean,
): readonly string[] {
  const matches = patternMatcher(pattern);
  const names: string[] = [];
  for (const index of state.indices.values()) {
    if (!matches(index.name) || !stateReached(index, options) || !mayUseName(state, index.name)) continue;
    if (visible(index.name, booleanSetting(index, 'hidden'), pattern, options)) names.push(index.name);
  }
  if (options.ignoreAliases) return names;
  for (const stream of state.dataStreams.values()) {
    if (!matches(stream.name) || !mayUseName(state, stream.name)) continue;
    if (!visible(stream.name, stream.hidden, pattern, options)) continue;
    const reached = backingIndices(state, stream).filter((index) => stateReached(index, options));
    names.push(...reached.map(({ name }) => name));
  }
  if (indicesOnly) return names;
  for (const [alias, targets] of aliasTable(state)) {
    if (!matches(alias) || !mayUseName(state, alias)) continue;
    const hidden = targets.every(({ metadata }) => metadata.isHidden === true);
    if (!visible(alias, hidden, pattern, options)) continue;
    const reached = targets.filter(({ index }) => stateReached(index, options));
    if (preserve === 'aliases') names.push(alias);
    else names.push(...reached.map(({ index }) => index.name));
  }
  return names;
}

function stateReached(index: IndexMetadata, options: IndicesOptions): boolean {
  return index.state === 'open' ? options.expandOpen : options.expandClosed;
}

/** A name that begins with a dot is reached by a pattern that does, hidden or not. */
function visible(name: string, hidden: boolean, pattern: string, options: IndicesOptions): boolean {
  return !hidden || options.expandHidden || (name.startsWith('.') && pattern.startsWith('.'));
}

function resolveDateMath(expression: string, nowMs: number): string {
  return expression.startsWith('-<')
    ? `-${resolveDateMathName(expression.slice(1), nowMs)}`
    : resolveDateMathName(expression, nowMs);
}

/** `resource` is what kind of name was asked for; `asked` lists the expressions where there are several. */
export function indexNotFound(
  name: string,
  resource: 'index_or_alias' | 'index_expression' = 'index_expression',
  asked: readonly string[] = [name],
): QuarryError {
  return missing(`no such index [${name}]`, name, resource, asked);
}

/** For requests that only an alias may serve. */
export function aliasRequired(name: string): QuarryError {
  const why = `[require_alias] request flag is [true] and [${name}] is not an alias`;
  return missing(`no such index [${name}] and ${why}`, name, undefined, []);
}

function noIndicesExist(): QuarryError {
  return missing(`no such index [${ALL_INDICES}] and no indices exist`, ALL_INDICES, 'index_expression', [ALL_INDICES]);
}

function missing(reason: string, name: string, resource: string | undefined, asked: readonly string[]): QuarryError {
  const resourceDetails: ErrorDetails =
    resource === undefined
      ? {}
      : { 'resource.type': resource, 'resource.id': asked.length === 1 ? (asked[0] ?? name) : asked };
  return new QuarryError('index_not_found_exception', reason, {
    details: { ...resourceDetails, index_uuid: '_na_', index: name },
  });
}

export function indexClosed(index: IndexMetadata): QuarryError {
  return new QuarryError('index_closed_exception', 'closed', {
    details: { index_uuid: index.uuid, index: index.name },
  });
}

function nameRefused(name: string, what: 'an alias' | 'a data stream'): QuarryError {
  return illegalArgument(
    `The provided expression [${name}] matches ${what}, specify the corresponding concrete indices instead.`,
  );
}
