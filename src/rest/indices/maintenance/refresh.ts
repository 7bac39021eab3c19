/** `POST {index}/_refresh`. */
import { broadcast, shardsHeader } from '../../../actions/indices/broadcast.js';
import { IndicesDefaults } from '../../../cluster/names/indices-options.js';
import { answerValue } from '../../answer.js';
import { defineEndpoint } from '../../endpoint.js';
import { indicesOptionsParameters } from '../../parameters.js';
import { namedIndices } from '../index-names.js';

export const refreshEndpoint = defineEndpoint({
  name: 'indices.refresh',
  action: 'indices:admin/refresh',
  methods: ['POST', 'GET'],
  paths: ['/_refresh', '/{index}/_refresh'],
  parameters: indicesOptionsParameters,
  body: 'none',
  pool: 'management',
  placement: 'shard',
  async handle(request, context) {
    const { parameters, parts } = request;
    const indices = namedIndices(context, parts.index, IndicesDefaults.expandOpenForbidClosed, parameters);
    const result = await broadcast(context, openOnly(indices), 'refresh', null);
    return answerValue({ _shards: shardsHeader(result) });
  },
});

/** Wildcards may be asked to reach closed indices, which have nothing to work on. */
export function openOnly<Index extends { readonly state: 'open' | 'close' }>(
  indices: readonly Index[],
): readonly Index[] {
  return indices.filter((index) => index.state === 'open');
}
