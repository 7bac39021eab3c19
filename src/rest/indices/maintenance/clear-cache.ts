/** `POST {index}/_cache/clear`. */
import { broadcast, shardsHeader } from '../../../actions/indices/broadcast.js';
import { IndicesDefaults } from '../../../cluster/names/indices-options.js';
import { answerValue } from '../../answer.js';
import { defineEndpoint } from '../../endpoint.js';
import { booleanParameter, indicesOptionsParameters, listParameter } from '../../parameters.js';
import { namedIndices } from '../index-names.js';
import { openOnly } from './refresh.js';

export const clearCacheEndpoint = defineEndpoint({
  name: 'indices.clear_cache',
  action: 'indices:admin/cache/clear',
  methods: ['POST'],
  paths: ['/_cache/clear', '/{index}/_cache/clear'],
  parameters: {
    ...indicesOptionsParameters,
    fielddata: booleanParameter(false),
    fields: listParameter(),
    // Caches that this engine has none of: there is nothing to clear.
    file: booleanParameter(false),
    query: booleanParameter(false),
    request: booleanParameter(false),
  },
  body: 'none',
  pool: 'management',
  placement: 'any',
  async handle({ parts, parameters }, context) {
    const { request, query, fielddata, file } = parameters;
    const named = namedIndices(context, parts.index, IndicesDefaults.expandOpenForbidClosed, parameters);
    const isNoneNamed = !(request || query || fielddata || file);
    // A shard that has nothing to clear is asked for something else, so that the answer counts it.
    const indices = openOnly(named);
    if (fielddata || isNoneNamed) await broadcast(context, indices, 'clear-field-data', null);
    const result =
      request || isNoneNamed
        ? await broadcast(context, indices, 'clear-request-cache', null)
        : await broadcast(context, indices, 'checkpoints', null);
    return answerValue({ _shards: shardsHeader(result) });
  },
});
