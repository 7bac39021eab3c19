/** `GET {index}` and `HEAD {index}`: aliases, mapping and settings. */
import { checkBlocks } from '../../cluster/blocks.js';
import { IndicesDefaults } from '../../cluster/indices-options.js';
import { renderMapping } from '../../mapping/render.js';
import { answerValue } from '../answer.js';
import { defineEndpoint } from '../endpoint.js';
import { booleanParameter, indicesOptionsParameters } from '../parameters.js';
import { renderAliases } from './render-aliases.js';
import { namedIndices, stateReadParameters } from './index-names.js';
import { renderIndexSettings } from './render-settings.js';

export const getIndexEndpoint = defineEndpoint({
  name: 'indices.get',
  methods: ['GET', 'HEAD'],
  paths: ['/{index}'],
  parameters: {
    ...indicesOptionsParameters,
    ...stateReadParameters,
    flat_settings: booleanParameter(false),
    include_defaults: booleanParameter(false),
  },
  body: 'none',
  pool: 'management',
  placement: 'any',
  handle(request, context) {
    const { parameters } = request;
    const indices = namedIndices(context, request.parts.index, IndicesDefaults.expandOpen, parameters);
    const layout = {
      flat: parameters.flat_settings,
      includeDefaults: parameters.include_defaults,
      human: request.presentation.human,
    };
    const entries = indices.map((index) => {
      checkBlocks(index, 'metadata_read');
      const mappings = renderMapping(index.mapping);
      return [index.name, { aliases: renderAliases(index), mappings, ...renderIndexSettings(index, layout) }] as const;
    });
    return answerValue(Object.fromEntries(entries));
  },
});
