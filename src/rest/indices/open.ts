/** `POST {index}/_open`. */
import { waitForActiveShards } from '../../actions/indices/create-index.js';
import type { Work } from '../../actions/tasks/background.js';
import { IndicesDefaults } from '../../cluster/names/indices-options.js';
import { answerValue } from '../answer.js';
import { defineEndpoint } from '../endpoint.js';
import {
  acknowledgedParameters,
  activeShardsParameter,
  booleanParameter,
  indicesOptionsParameters,
  timeParameter,
} from '../parameters.js';
import { answerTask } from '../tasks/answer-task.js';
import { refuseWildcardsIfSet } from './delete.js';
import { idsOf, indexNames, masterTimeoutMs, namedIndices } from './index-names.js';

/** How long a task that opens indices waits for their shards. */
const TASK_MS = 60 * 60 * 1_000;

export const openIndexEndpoint = defineEndpoint({
  name: 'indices.open',
  action: 'indices:admin/open',
  methods: ['POST'],
  paths: ['/{index}/_open'],
  parameters: {
    ...acknowledgedParameters,
    ...indicesOptionsParameters,
    wait_for_active_shards: activeShardsParameter(),
    task_execution_timeout: timeParameter(),
    wait_for_completion: booleanParameter(true),
  },
  body: 'none',
  pool: 'management',
  placement: 'any',
  async handle(request, context) {
    const { parameters, parts } = request;
    refuseWildcardsIfSet(context.clusterState(), indexNames(parts.index));
    const indices = idsOf(namedIndices(context, parts.index, IndicesDefaults.open, parameters));
    const masterTimeout = masterTimeoutMs(parameters, request.sentParameters);
    const inBackground = !parameters.wait_for_completion;
    const timeoutMs = inBackground ? (parameters.task_execution_timeout ?? TASK_MS) : parameters.timeout;
    const work: Work = async (own) => {
      await own.coordinator.submit('open-indices', { indices }, { timeoutMs: masterTimeout });
      const wait = { waitForActiveShards: parameters.wait_for_active_shards, timeoutMs };
      return { acknowledged: true, shards_acknowledged: await waitForActiveShards(own, indices, wait) };
    };
    if (!inBackground) return answerValue(await work(context));
    const description = `open indices [${indices.map(({ name }) => name).join(', ')}]`;
    return answerTask({ action: 'indices:admin/open', description }, work, context);
  },
});
