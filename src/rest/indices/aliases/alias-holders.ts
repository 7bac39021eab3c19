/** What can have aliases: indices, and data streams in the place of theirs. */
import type { ActionContext } from '../../../actions/context.js';
import { authoriseNewAlias } from '../../../actions/security/item-actions.js';
import { illegalArgument } from '../../../base/errors.js';
import { checkStreamAlias, parentStream } from '../../../cluster/data-streams/data-streams.js';
import type { AliasAction } from '../../../cluster/changes/indices/update-aliases.js';
import { IndicesDefaults } from '../../../cluster/names/indices-options.js';
import type { AliasMetadata, ClusterState, DataStream, IndexMetadata } from '../../../cluster/state.js';
import { aliasSelector } from './alias-patterns.js';
import { indexNames, namedIndices } from '../index-names.js';

export interface AliasHolders {
  readonly indices: readonly IndexMetadata[];
  readonly streams: readonly DataStream[];
}

/** An alias may not point at an alias. */
const ALIASED = { ...IndicesDefaults.change, ignoreAliases: true, expandHidden: true };

/** Those whose aliases a request changes. */
export function aliasHolders(context: ActionContext, part: string | undefined): AliasHolders {
  const state = context.clusterState();
  const names = indexNames(part);
  const streams = streamsNamed(state, names);
  const others = names.filter((name) => !state.dataStreams.has(name));
  if (streams.length === 0 || others.length === 0) {
    return { indices: streams.length === 0 ? namedIndices(context, part, ALIASED, {}) : [], streams };
  }
  // What a pattern finds beside a stream are the indices of streams as well.
  const indices = namedIndices(context, others.join(','), { ...ALIASED, allowNoIndices: true }, {});
  return { indices: indices.filter(({ name }) => parentStream(state, name) === undefined), streams };
}

/** Data streams by name and by pattern, in order of their names; no name means all. */
export function streamsNamed(state: ClusterState, names: readonly string[]): readonly DataStream[] {
  const wanted = aliasSelector(state, names);
  const found = [...state.dataStreams.values()].filter(({ name }) => wanted(name));
  return found.sort((left, right) => (left.name < right.name ? -1 : 1));
}

/** Actions that give the alias to all of them. */
export function additions(
  context: ActionContext,
  { indices, streams }: AliasHolders,
  expression: string,
  { alias, metadata }: { readonly alias: string; readonly metadata: AliasMetadata },
): readonly AliasAction[] {
  const names = [...streams, ...indices].map(({ name }) => name);
  authoriseNewAlias(context, names);
  if (streams.length > 0) {
    checkStreamAlias(metadata);
    if (indices.length > 0) {
      const asked = indexNames(expression).join(', ');
      throw illegalArgument(
        `expressions [${asked}] that match with both data streams and regular indices are disallowed`,
      );
    }
  }
  return [
    ...streams.map(({ name }) => ({ kind: 'add_to_stream', stream: name, alias, metadata }) as const),
    ...indices.map(({ name, uuid }) => ({ kind: 'add', index: { name, uuid }, alias, metadata }) as const),
  ];
}

/** Actions that take from them what the names and patterns mean. */
export function removals(
  state: ClusterState,
  { indices, streams }: AliasHolders,
  names: readonly string[],
): readonly AliasAction[] {
  const wanted = aliasSelector(state, names);
  const wantedOf = (aliases: ReadonlyMap<string, unknown> | undefined): readonly string[] =>
    [...(aliases?.keys() ?? [])].filter(wanted);
  return [
    ...streams.flatMap(({ name, aliases }) =>
      wantedOf(aliases).map((alias) => ({ kind: 'remove_from_stream', stream: name, alias }) as const),
    ),
    ...indices.flatMap(({ name, uuid, aliases }) =>
      wantedOf(aliases).map((alias) => ({ kind: 'remove', index: { name, uuid }, alias }) as const),
    ),
  ];
}
