/** `GET {index}/_alias/{name}` and its HEAD. */
import { IndicesDefaults } from '../../cluster/indices-options.js';
import type { IndexMetadata } from '../../cluster/state.js';
import { answerEmpty, answerValue } from '../answer.js';
import { defineEndpoint } from '../endpoint.js';
import { indicesOptionsParameters, splitList } from '../parameters.js';
import { aliasSelector, literalAliases } from './alias-patterns.js';
import { namedIndices, stateReadParameters } from './index-names.js';
import { renderAliases } from './render-aliases.js';

const EVERY_INDEX = { ...IndicesDefaults.expandOpenAndClosed, expandHidden: true };

export const getAliasEndpoint = defineEndpoint({
  name: 'indices.get_alias',
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
    const wanted = aliasSelector(names);
    const shown = indices.flatMap((index) => {
      const aliases = renderAliases(index, wanted);
      // Without a name an index is listed even when it has no alias.
      return names.length > 0 && Object.keys(aliases).length === 0 ? [] : [[index.name, { aliases }] as const];
    });
    const missing = missingNames(names, indices);
    if (request.method === 'HEAD') return answerEmpty(missing.length > 0 || shown.length === 0 ? 404 : 200);
    const found = Object.fromEntries(shown);
    if (missing.length === 0) return answerValue(found);
    const noun = missing.length === 1 ? 'alias' : 'aliases';
    return answerValue({ error: `${noun} [${missing.join(',')}] missing`, status: 404, ...found }, 404);
  },
});

function missingNames(names: readonly string[], indices: readonly IndexMetadata[]): readonly string[] {
  return literalAliases(names)
    .filter((name) => !indices.some(({ aliases }) => aliases.has(name)))
    .sort();
}
