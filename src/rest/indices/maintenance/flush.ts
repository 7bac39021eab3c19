/** `POST {index}/_flush`. */
import { broadcast, shardsHeader } from '../../../actions/indices/broadcast.js';
import { QuarryError } from '../../../base/errors.js';
import { IndicesDefaults } from '../../../cluster/names/indices-options.js';
import { answerValue } from '../../answer.js';
import { defineEndpoint } from '../../endpoint.js';
import { booleanParameter, indicesOptionsParameters } from '../../parameters.js';
import { namedIndices } from '../index-names.js';
import { openOnly } from './refresh.js';

export const flushEndpoint = defineEndpoint({
  name: 'indices.flush',
  action: 'indices:admin/flush',
  methods: ['POST', 'GET'],
  paths: ['/_flush', '/{index}/_flush'],
  parameters: {
    ...indicesOptionsParameters,
    force: booleanParameter(false),
    wait_if_ongoing: booleanParameter(true),
  },
  body: 'none',
  pool: 'management',
  placement: 'shard',
  async handle(request, context) {
    const { parameters, parts } = request;
    if (parameters.force && !parameters.wait_if_ongoing) {
      const reason = 'Validation Failed: 1: wait_if_ongoing must be true for a force flush;';
      throw new QuarryError('action_request_validation_exception', reason);
    }
    const indices = namedIndices(context, parts.index, IndicesDefaults.expandOpenForbidClosed, parameters);
    const result = await broadcast(context, openOnly(indices), 'flush', { force: parameters.force });
    return answerValue({ _shards: shardsHeader(result) });
  },
});
