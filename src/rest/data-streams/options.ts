/** `_data_stream/{name}/_options`: of a failure store, which this engine has not. What asks for none is granted. */
import { checkStreamOptions } from '../../cluster/data-streams/data-stream-options.js';
import { answerAcknowledged, answerValue } from '../answer.js';
import { defineEndpoint } from '../endpoint.js';
import { stateReadParameters } from '../indices/index-names.js';
import { acknowledgedParameters, listParameter } from '../parameters.js';
import { namedStreams } from './named-streams.js';

const PATH = '/_data_stream/{name}/_options';
const changeParameters = { ...acknowledgedParameters, expand_wildcards: listParameter() } as const;

export const getStreamOptionsEndpoint = defineEndpoint({
  name: 'indices.get_data_stream_options',
  action: 'indices:admin/data_stream/options/get',
  methods: ['GET'],
  paths: [PATH],
  parameters: { ...stateReadParameters, expand_wildcards: listParameter() },
  body: 'none',
  pool: 'management',
  placement: 'any',
  handle({ parameters, parts }, context) {
    const streams = namedStreams(context, parts.name, parameters.expand_wildcards);
    return answerValue({ data_streams: streams.map(({ name }) => ({ name })) });
  },
});

export const putStreamOptionsEndpoint = defineEndpoint({
  name: 'indices.put_data_stream_options',
  action: 'indices:admin/data_stream/options/put',
  methods: ['PUT'],
  paths: [PATH],
  parameters: changeParameters,
  body: 'json',
  pool: 'management',
  placement: 'any',
  handle({ parameters, parts, body }, context) {
    checkStreamOptions(body.requireObject());
    namedStreams(context, parts.name, parameters.expand_wildcards);
    return answerAcknowledged();
  },
});

export const deleteStreamOptionsEndpoint = defineEndpoint({
  name: 'indices.delete_data_stream_options',
  action: 'indices:admin/data_stream/options/delete',
  methods: ['DELETE'],
  paths: [PATH],
  parameters: changeParameters,
  body: 'none',
  pool: 'management',
  placement: 'any',
  handle({ parameters, parts }, context) {
    namedStreams(context, parts.name, parameters.expand_wildcards);
    return answerAcknowledged();
  },
});
