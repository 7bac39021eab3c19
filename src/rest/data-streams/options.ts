/** `_data_stream/{name}/_options`: of a failure store, which this engine has not. What asks for none is granted. */
import { illegalArgument, QuarryError } from '../../base/errors.js';
import { isJsonObject, type JsonObject } from '../../base/json-value.js';
import { answerAcknowledged, answerValue } from '../answer.js';
import { defineEndpoint } from '../endpoint.js';
import { stateReadParameters } from '../indices/index-names.js';
import { acknowledgedParameters, listParameter } from '../parameters.js';
import { namedStreams } from './named-streams.js';

const PATH = '/_data_stream/{name}/_options';
const changeParameters = { ...acknowledgedParameters, expand_wildcards: listParameter() } as const;

export const getStreamOptionsEndpoint = defineEndpoint({
  name: 'indices.get_data_stream_options',
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
  methods: ['PUT'],
  paths: [PATH],
  parameters: changeParameters,
  body: 'json',
  pool: 'management',
  placement: 'any',
  handle({ parameters, parts, body }, context) {
    checkOptions(body.requireObject());
    namedStreams(context, parts.name, parameters.expand_wildcards);
    return answerAcknowledged();
  },
});

export const deleteStreamOptionsEndpoint = defineEndpoint({
  name: 'indices.delete_data_stream_options',
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

function checkOptions({ failure_store: store, ...others }: JsonObject): void {
  const [unknown] = Object.keys(others);
  if (unknown !== undefined) throw malformed(`[data_stream_options] unknown field [${unknown}]`);
  if (store === undefined || store === null) return;
  if (!isJsonObject(store)) throw malformed('[data_stream_options] failure_store must be an object');
  const { enabled = true, ...members } = store;
  const [member] = Object.keys(members);
  if (member !== undefined) throw illegalArgument(`[failure_store.${member}] is not supported`);
  if (enabled === false) return;
  throw illegalArgument('failure stores are not supported: [failure_store.enabled] must be [false]');
}

function malformed(reason: string): QuarryError {
  return new QuarryError('x_content_parse_exception', reason);
}
