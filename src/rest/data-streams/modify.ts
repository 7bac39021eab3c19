/** `POST _data_stream/_modify`, `_migrate/{name}` and `_promote/{name}`: what data streams are made of. */
import { authoriseNewAlias } from '../../actions/security/item-actions.js';
import { illegalArgument, QuarryError } from '../../base/errors.js';
import { isJsonObject, type JsonValue } from '../../base/json-value.js';
import type { ModifyDataStreamsInput } from '../../cluster/changes/indices/data-streams.js';
import { requireNames } from '../../cluster/security/index-access.js';
import { answerAcknowledged } from '../answer.js';
import { defineEndpoint } from '../endpoint.js';
import { masterTimeoutMs } from '../indices/index-names.js';
import { acknowledgedParameters } from '../parameters.js';
import { namedStreams } from './named-streams.js';

type ModifyAction = ModifyDataStreamsInput['actions'][number];

export const modifyDataStreamEndpoint = defineEndpoint({
  name: 'indices.modify_data_stream',
  action: 'indices:admin/data_stream/modify',
  methods: ['POST'],
  paths: ['/_data_stream/_modify'],
  parameters: acknowledgedParameters,
  body: 'json',
  pool: 'management',
  placement: 'any',
  async handle({ parameters, body, sentParameters }, context) {
    const { actions: list, ...others } = body.requireObject();
    const [unknown] = Object.keys(others);
    if (unknown !== undefined) throw badAction(`[data_stream_actions] unknown field [${unknown}]`);
    if (!Array.isArray(list)) throw badAction('[actions] of the body must be a list');
    const actions = (list as readonly JsonValue[]).map(readAction);
    requireNames(
      context.clusterState(),
      actions.flatMap(({ stream, index }) => [stream, index]),
    );
    const added = actions.filter(({ kind }) => kind === 'add_backing_index').map(({ index }) => index);
    authoriseNewAlias(context, added);
    const timeoutMs = masterTimeoutMs(parameters, sentParameters);
    await context.coordinator.submit('modify-data-streams', { actions }, { timeoutMs });
    return answerAcknowledged();
  },
});

function readAction(action: JsonValue, at: number): ModifyAction {
  const [entry, second] = isJsonObject(action) ? Object.entries(action) : [];
  const place = `[actions][${at}]`;
  if (entry === undefined || second !== undefined) throw badAction(`${place} must name exactly one action`);
  const [kind, body] = entry;
  if (kind !== 'add_backing_index' && kind !== 'remove_backing_index') {
    throw badAction(`${place} unknown field [${kind}]`);
  }
  if (!isJsonObject(body)) throw badAction(`${place} [${kind}] must be an object`);
  const { data_stream: stream, index, ...others } = body;
  const [unknown] = Object.keys(others);
  if (unknown !== undefined) throw badAction(`${place} [${kind}] unknown field [${unknown}]`);
  if (typeof stream !== 'string' || typeof index !== 'string') {
    throw badAction(`${place} Required [data_stream, index] in [${kind}]`);
  }
  return { kind, stream, index };
}

function badAction(reason: string): QuarryError {
  return new QuarryError('x_content_parse_exception', reason);
}

export const migrateToDataStreamEndpoint = defineEndpoint({
  name: 'indices.migrate_to_data_stream',
  action: { name: 'indices:admin/data_stream/migrate', names: ({ parts }) => [parts.name] },
  methods: ['POST'],
  paths: ['/_data_stream/_migrate/{name}'],
  parameters: acknowledgedParameters,
  body: 'none',
  pool: 'management',
  placement: 'any',
  async handle({ parameters, parts, sentParameters }, context) {
    authoriseNewAlias(context, [parts.name]);
    const timeoutMs = masterTimeoutMs(parameters, sentParameters);
    await context.coordinator.submit('migrate-alias', { alias: parts.name }, { timeoutMs });
    return answerAcknowledged();
  },
});

export const promoteDataStreamEndpoint = defineEndpoint({
  name: 'indices.promote_data_stream',
  action: 'indices:admin/data_stream/promote',
  methods: ['POST'],
  paths: ['/_data_stream/_promote/{name}'],
  parameters: acknowledgedParameters,
  body: 'none',
  pool: 'management',
  placement: 'any',
  handle({ parts }, context) {
    const [stream] = namedStreams(context, parts.name, undefined);
    throw illegalArgument(`data stream [${stream?.name ?? parts.name}] is not replicated: there is nothing to promote`);
  },
});
