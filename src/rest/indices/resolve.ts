/** `GET _resolve/index/{name}`: which indices, aliases and data streams an expression reaches. */
import { illegalArgument } from '../../base/errors.js';
import type { JsonObject } from '../../base/json-value.js';
import { aliasTable } from '../../cluster/aliases/aliases.js';
import { parentStream, TIMESTAMP_FIELD } from '../../cluster/data-streams/data-streams.js';
import { expandExpressions, resolveIndices } from '../../cluster/names/index-expression.js';
import { indicesOptions, IndicesDefaults } from '../../cluster/names/indices-options.js';
import { booleanSetting } from '../../cluster/settings/index-values.js';
import { mayUseName } from '../../cluster/security/index-access.js';
import type { ClusterState, IndexMetadata } from '../../cluster/state.js';
import { isPattern, matchesAny } from '../../cluster/names/wildcard.js';
import { answerValue } from '../answer.js';
import { defineEndpoint } from '../endpoint.js';
import { indicesOptionsParameters, listParameter } from '../parameters.js';
import { indexNames } from './index-names.js';

export const resolveIndexEndpoint = defineEndpoint({
  name: 'indices.resolve_index',
  action: 'indices:admin/resolve/index',
  methods: ['GET'],
  paths: ['/_resolve/index/{name}'],
  parameters: { ...indicesOptionsParameters, mode: listParameter() },
  body: 'none',
  pool: 'management',
  placement: 'any',
  handle({ parameters, parts }, context) {
    const unknown = parameters.mode?.find((mode) => mode !== 'standard');
    if (unknown !== undefined)
      throw illegalArgument(`[mode] is [${unknown}], but indices have the mode [standard] only`);
    const state = context.clusterState();
    const names = indexNames(parts.name);
    const nowMs = context.clock.nowMs();
    const options = indicesOptions({ ...IndicesDefaults.expandOpen }, parameters);
    resolveIndices(state, names, options, nowMs);
    // What a data stream stands for is listed with it.
    const lenient = { ...options, ignoreUnavailable: true, allowNoIndices: true };
    const own = expandExpressions({ ...state, dataStreams: new Map() }, names, lenient, nowMs, 'aliases');
    const byPattern = (name: string): boolean => matchesAny(names.filter(isPattern), name) || names.includes('_all');
    return answerValue({
      indices: sorted([...state.indices.values()].filter(({ name }) => own.has(name))).map((index) =>
        renderIndex(state, index),
      ),
      aliases: [...aliasTable(state)]
        .filter(([alias]) => mayUseName(state, alias) && (names.includes(alias) || byPattern(alias)))
        .sort(([left], [right]) => (left < right ? -1 : 1))
        .map(([name, targets]) => ({
          name,
          indices: [...new Set(targets.map(({ index, stream }) => stream?.name ?? index.name))],
        })),
      data_streams: sorted(
        [...state.dataStreams.values()].filter(
          ({ name }) => mayUseName(state, name) && (names.includes(name) || byPattern(name)),
        ),
      ).map(({ name, indices }) => ({
        name,
        backing_indices: indices.map((index) => index.name),
        timestamp_field: TIMESTAMP_FIELD,
      })),
    });
  },
});

function sorted<Each extends { readonly name: string }>(items: readonly Each[]): readonly Each[] {
  return [...items].sort((left, right) => (left.name < right.name ? -1 : 1));
}

function renderIndex(state: ClusterState, index: IndexMetadata): JsonObject {
  const stream = parentStream(state, index.name)?.name;
  return {
    name: index.name,
    ...(index.aliases.size === 0 ? {} : { aliases: [...index.aliases.keys()].sort() }),
    attributes: [
      index.state === 'open' ? 'open' : 'closed',
      ...(booleanSetting(index, 'hidden') ? ['hidden'] : []),
    ].sort(),
    ...(stream === undefined ? {} : { data_stream: stream }),
  };
}
