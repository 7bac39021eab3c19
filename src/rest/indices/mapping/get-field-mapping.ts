/** `GET {index}/_mapping/field/{fields}`. */
import { IndicesDefaults } from '../../../cluster/names/indices-options.js';
import { mappingSettings } from '../../../cluster/settings/index-values.js';
import { fieldMapping } from '../../../mapping/field-mapping.js';
import { answerValue } from '../../answer.js';
import { defineEndpoint } from '../../endpoint.js';
import { booleanParameter, indicesOptionsParameters, splitList } from '../../parameters.js';
import { namedIndices, stateReadParameters } from '../index-names.js';

export const getFieldMappingEndpoint = defineEndpoint({
  name: 'indices.get_field_mapping',
  action: 'indices:admin/mappings/fields/get',
  methods: ['GET'],
  paths: ['/_mapping/field/{fields}', '/{index}/_mapping/field/{fields}'],
  parameters: { ...indicesOptionsParameters, ...stateReadParameters, include_defaults: booleanParameter(false) },
  body: 'none',
  pool: 'management',
  placement: 'any',
  handle(request, context) {
    const { parameters, parts } = request;
    const indices = namedIndices(context, parts.index, IndicesDefaults.expandOpen, parameters);
    const fields = splitList(parts.fields);
    const entries = indices.map((index) => {
      const options = { includeDefaults: parameters.include_defaults, settings: mappingSettings(index) };
      return [index.name, { mappings: fieldMapping(index.mapping, fields, options) }] as const;
    });
    return answerValue(Object.fromEntries(entries));
  },
});
