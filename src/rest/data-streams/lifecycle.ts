/** `_data_stream/{name}/_lifecycle`: how long documents are kept. */
import { parseLifecycle, renderLifecycle } from '../../cluster/data-streams/data-stream-lifecycle.js';
import { answerAcknowledged, answerValue } from '../answer.js';
import { defineEndpoint } from '../endpoint.js';
import { masterTimeoutMs, stateReadParameters } from '../indices/index-names.js';
import { acknowledgedParameters, booleanParameter, listParameter } from '../parameters.js';
import { namedStreams } from './named-streams.js';

const changeParameters = { ...acknowledgedParameters, expand_wildcards: listParameter() } as const;

export const putDataLifecycleEndpoint = defineEndpoint({
  name: 'indices.put_data_lifecycle',
  action: 'indices:admin/data_stream/lifecycle/put',
  methods: ['PUT'],
  paths: ['/_data_stream/{name}/_lifecycle'],
  parameters: changeParameters,
  body: 'json',
  pool: 'management',
  placement: 'any',
  async handle({ parameters, parts, body, sentParameters }, context) {
    const lifecycle = parseLifecycle(body.object() ?? {});
    const names = namedStreams(context, parts.name, parameters.expand_wildcards, true).map(({ name }) => name);
    const timeoutMs = masterTimeoutMs(parameters, sentParameters);
    await context.coordinator.submit('update-data-streams', { names, lifecycle }, { timeoutMs });
    return answerAcknowledged();
  },
});

export const getDataLifecycleEndpoint = defineEndpoint({
  name: 'indices.get_data_lifecycle',
  action: 'indices:admin/data_stream/lifecycle/get',
  methods: ['GET'],
  paths: ['/_data_stream/{name}/_lifecycle'],
  parameters: { ...stateReadParameters, expand_wildcards: listParameter(), include_defaults: booleanParameter(false) },
  body: 'none',
  pool: 'management',
  placement: 'any',
  handle({ parameters, parts }, context) {
    const streams = namedStreams(context, parts.name, parameters.expand_wildcards, true);
    return answerValue({
      data_streams: streams.map(({ name, lifecycle }) => ({
        name,
        ...(lifecycle === undefined ? {} : { lifecycle: renderLifecycle(lifecycle) }),
      })),
      global_retention: {},
    });
  },
});

export const deleteDataLifecycleEndpoint = defineEndpoint({
  name: 'indices.delete_data_lifecycle',
  action: 'indices:admin/data_stream/lifecycle/delete',
  methods: ['DELETE'],
  paths: ['/_data_stream/{name}/_lifecycle'],
  parameters: changeParameters,
  body: 'none',
  pool: 'management',
  placement: 'any',
  async handle({ parameters, parts, sentParameters }, context) {
    const names = namedStreams(context, parts.name, parameters.expand_wildcards, true).map(({ name }) => name);
    const timeoutMs = masterTimeoutMs(parameters, sentParameters);
    await context.coordinator.submit('update-data-streams', { names, lifecycle: null }, { timeoutMs });
    return answerAcknowledged();
  },
});
