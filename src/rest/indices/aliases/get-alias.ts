/** `GET {index}/_alias/{name}` and its HEAD. */
import type { JsonObject } from '../../../base/json-value.js';
import { aliasTable } from '../../../cluster/aliases/aliases.js';
import { parentStream } from '../../../cluster/data-streams/data-streams.js';
import { IndicesDefaults } from '../../../cluster/names/indices-options.js';
import type { AliasMetadata, ClusterState, DataStream, IndexMetadata } from '../../../cluster/state.js';
import { answerEmpty, answerValue } from '../../answer.js';
import { defineEndpoint } from '../../endpoint.js';
import { indicesOptionsParameters, splitList } from '../../parameters.js';
import { aliasSelector, literalAliases } from './alias-patterns.js';
import { streamsNamed } from './alias-holders.js';
import { indexNames, namedIndices, stateReadParameters } from '../index-names.js';
import { renderAliases } from './render-aliases.js';

const EVERY_INDEX = { ...IndicesDefaults.expandOpenAndClosed, expandHidden: true };

export const getAliasEndpoint = defineEndpoint({
  name: 'indices.get_alias',
  action: 'indices:admin/aliases/get',
  methods: ['GET', 'HEAD'],
  paths: ['/_alias', '/_aliases', '/_alias/{name}', '/{index}/_alias', '/{index}/_alias/{name}', '/{index}/_aliases'],
  parameters: { ...indicesOptionsParameters, ...stateReadParameters },
  body: 'none',
  pool: 'management',
  placement: 'any',
  handle(request, context) {
    const { parameters, parts } = request;
    const indices = namedIndices(context, parts.index, EVERY_INDEX, parameters);
    const names = parts.name === undefined ? [] : splitList(parts.name);
    const state = context.clusterState();
    const wanted = aliasSelector(state, names);
    const own = indices.filter(({ name }) => parentStream(state, name) === undefined);
    const streams = streamsAsked(state, parts.index, indices);
    const shown = [
      // Without a name an index is listed even when it has no alias.
      ...entriesOf(own, wanted, names.length === 0),
      ...entriesOf(streams, wanted, false),
    ];
    const missing = missingNames(names, [...own, ...streams]);
    if (request.method === 'HEAD') return answerEmpty(missing.length > 0 || shown.length === 0 ? 404 : 200);
    const found = Object.fromEntries(shown);
    if (missing.length === 0) return answerValue(found);
    const noun = missing.length === 1 ? 'alias' : 'aliases';
    return answerValue({ error: `${noun} [${missing.join(',')}] missing`, status: 404, ...found }, 404);
  },
});

/** Data streams take the place of their indices, also where an alias leads to these. */
function streamsAsked(
  state: ClusterState,
  part: string | undefined,
  indices: readonly IndexMetadata[],
): readonly DataStream[] {
  const names = indexNames(part);
  const throughAliases = new Set(names.flatMap((name) => aliasTable(state).get(name) ?? []).map(({ index }) => index));
  const reached = indices.filter((index) => throughAliases.has(index)).map(({ name }) => parentStream(state, name));
  const all = new Set([...streamsNamed(state, names), ...reached]);
  return [...all].filter((stream) => stream !== undefined);
}

function entriesOf(
  holders: readonly AliasHolder[],
  wanted: (alias: string) => boolean,
  withEmpty: boolean,
): readonly (readonly [string, JsonObject])[] {
  return holders.flatMap((holder) => {
    const aliases = renderAliases(holder, wanted);
    return withEmpty || Object.keys(aliases).length > 0 ? [[holder.name, { aliases }] as const] : [];
  });
}

interface AliasHolder {
  readonly name: string;
  readonly aliases?: ReadonlyMap<string, AliasMetadata>;
}

function missingNames(names: readonly string[], holders: readonly AliasHolder[]): readonly string[] {
  return literalAliases(names)
    .filter((name) => !holders.some(({ aliases }) => aliases?.has(name) === true))
    .sort();
}
