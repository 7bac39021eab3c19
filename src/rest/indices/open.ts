/** `POST {index}/_open`. */
import { waitForActiveShards } from '../../actions/indices/create-index.js';
import { IndicesDefaults } from '../../cluster/indices-options.js';
import { answerValue } from '../answer.js';
import { defineEndpoint } from '../endpoint.js';
import { acknowledgedParameters, activeShardsParameter, indicesOptionsParameters } from '../parameters.js';
import { refuseWildcardsIfSet } from './delete.js';
import { idsOf, indexNames, masterTimeoutMs, namedIndices } from './index-names.js';

export const openIndexEndpoint = defineEndpoint({
  name: 'indices.open',
  methods: ['POST'],
  paths: ['/{index}/_open'],
  parameters: {
    ...acknowledgedParameters,
    ...indicesOptionsParameters,
    wait_for_active_shards: activeShardsParameter(),
  },
  body: 'none',
  pool: 'management',
  placement: 'any',
  async handle(request, context) {
    const { parameters, parts } = request;
    refuseWildcardsIfSet(context.clusterState(), indexNames(parts.index));
    const indices = idsOf(namedIndices(context, parts.index, IndicesDefaults.open, parameters));
    const masterTimeout = masterTimeoutMs(parameters, request.sentParameters);
    await context.coordinator.submit('open-indices', { indices }, { timeoutMs: masterTimeout });
    const wait = { waitForActiveShards: parameters.wait_for_active_shards, timeoutMs: parameters.timeout };
    return answerValue({
      acknowledged: true,
      shards_acknowledged: await waitForActiveShards(context, indices, wait),
    });
  },
});
