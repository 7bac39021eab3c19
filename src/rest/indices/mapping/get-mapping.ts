/** `GET {index}/_mapping`. */
import { checkBlocks } from '../../../cluster/blocks/blocks.js';
import { IndicesDefaults } from '../../../cluster/names/indices-options.js';
import { renderMapping } from '../../../mapping/render.js';
import { answerValue } from '../../answer.js';
import { defineEndpoint } from '../../endpoint.js';
import { indicesOptionsParameters } from '../../parameters.js';
import { namedIndices, stateReadParameters } from '../index-names.js';

export const getMappingEndpoint = defineEndpoint({
  name: 'indices.get_mapping',
  action: 'indices:admin/mappings/get',
  methods: ['GET', 'HEAD'],
  paths: ['/_mapping', '/_mappings', '/{index}/_mapping', '/{index}/_mappings'],
  parameters: { ...indicesOptionsParameters, ...stateReadParameters },
  body: 'none',
  pool: 'management',
  placement: 'any',
  handle(request, context) {
    const { parameters } = request;
    const indices = namedIndices(context, request.parts.index, IndicesDefaults.expandOpen, parameters);
    const entries = indices.map((index) => {
      checkBlocks(index, 'metadata_read');
      return [index.name, { mappings: renderMapping(index.mapping) }] as const;
    });
    return answerValue(Object.fromEntries(entries));
  },
});
