/** The data streams that a part of a path names. */
import type { ActionContext } from '../../actions/context.js';
import { illegalArgument } from '../../base/errors.js';
import { indexNotFound } from '../../cluster/names/index-expression.js';
import { mayUseName, requireNames } from '../../cluster/security/index-access.js';
import type { DataStream } from '../../cluster/state.js';
import { exclusionsIn, isPattern, patternMatcher } from '../../cluster/names/wildcard.js';
import { splitList } from '../parameters.js';

const WILDCARDS = ['all', 'open', 'closed', 'hidden', 'none'];

/**
 * In order of their names. A plain name must exist, at least as an index where those are passed over; no name means all. `-name` behind a
 * pattern leaves out.
 */
export function namedStreams(
  context: ActionContext,
  part: string | undefined,
  expandWildcards: readonly string[] | undefined,
  passesIndices = false,
): readonly DataStream[] {
  const unknown = expandWildcards?.find((word) => !WILDCARDS.includes(word));
  if (unknown !== undefined) throw illegalArgument(`No valid expand wildcard value [${unknown}]`);
  const state = context.clusterState();
  const { dataStreams } = state;
  const withHidden = expandWildcards?.some((word) => word === 'all' || word === 'hidden') === true;
  const names = part === undefined ? ['*'] : splitList(part);
  const isExclusion = exclusionsIn(names);
  requireNames(
    state,
    names.filter((name, at) => name !== '_all' && !isPattern(name) && !isExclusion(name, at)),
  );
  const found = new Set<DataStream>();
  for (const [at, name] of names.entries()) {
    if (isExclusion(name, at)) {
      const leavesOut = patternMatcher(name.slice(1));
      for (const stream of found) if (leavesOut(stream.name)) found.delete(stream);
      continue;
    }
    const pattern = name === '_all' ? '*' : name;
    const matches = patternMatcher(pattern);
    const reached = [...dataStreams.values()].filter(
      (stream) =>
        matches(stream.name) && mayUseName(state, stream.name) && (!isPattern(pattern) || withHidden || !stream.hidden),
    );
    const isIndex = state.indices.has(name);
    if (reached.length === 0 && !isPattern(pattern) && !(isIndex && passesIndices)) throw indexNotFound(name);
    for (const stream of reached) found.add(stream);
  }
  return [...found].sort((left, right) => (left.name < right.name ? -1 : 1));
}
