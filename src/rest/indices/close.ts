/** `POST {index}/_close`. */
import { broadcast } from '../../actions/indices/broadcast.js';
import { IndicesDefaults } from '../../cluster/names/indices-options.js';
import { checkNotRestoring } from '../../cluster/snapshots/restores.js';
import { answerValue } from '../answer.js';
import { defineEndpoint } from '../endpoint.js';
import { acknowledgedParameters, activeShardsParameter, indicesOptionsParameters } from '../parameters.js';
import { refuseWildcardsIfSet } from './delete.js';
import { idsOf, indexNames, masterTimeoutMs, namedIndices } from './index-names.js';
import { openOnly } from './maintenance/refresh.js';

export const closeIndexEndpoint = defineEndpoint({
  name: 'indices.close',
  action: 'indices:admin/close',
  methods: ['POST'],
  paths: ['/{index}/_close'],
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
    const named = openOnly(namedIndices(context, parts.index, IndicesDefaults.expandOpen, parameters));
    const ids = idsOf(named);
    // The master looks again; until then nothing is done for one that will be refused.
    checkNotRestoring(context.clusterState(), ids);
    // A commit point makes opening again quick; what is written meanwhile is in the translog.
    await broadcast(context, named, 'flush', { force: false });
    const timeoutMs = masterTimeoutMs(parameters, request.sentParameters);
    await context.coordinator.submit('close-indices', { indices: ids }, { timeoutMs });
    const indices = Object.fromEntries(named.map(({ name }) => [name, { closed: true }]));
    return answerValue({ acknowledged: true, shards_acknowledged: named.length > 0, indices });
  },
});
