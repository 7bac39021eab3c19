/** `PUT {index}/_doc/{id}`, `POST {index}/_doc`, `PUT {index}/_create/{id}`: puts a document into an index. */
import type { ActionContext } from '../../actions/context.js';
import { writeDocument } from '../../actions/documents/write-document.js';
import { illegalArgument, QuarryError } from '../../base/errors.js';
import { newId } from '../../base/random.js';
import type { RestAnswer } from '../answer.js';
import { defineEndpoint, type RestBody } from '../endpoint.js';
import { booleanParameter, enumParameter, stringParameter, type ParameterValues } from '../parameters.js';
import { checkPipeline, checkVersioning, versionParameters, versionsOf, writeParameters } from './write-parameters.js';

const parameters = {
  ...writeParameters,
  ...versionParameters,
  include_source_on_error: booleanParameter(true),
  op_type: enumParameter(['index', 'create'], (text) =>
    illegalArgument(`opType must be 'create' or 'index', found: [${text}]`),
  ),
  pipeline: stringParameter(),
  require_alias: booleanParameter(false),
  require_data_stream: booleanParameter(false),
} as const;

type Parameters = ParameterValues<typeof parameters>;

export const indexDocument = defineEndpoint({
  name: 'index',
  action: { name: 'indices:data/write/index', isPerItem: true },
  methods: ['PUT', 'POST'],
  paths: ['/{index}/_doc/{id}'],
  parameters,
  body: 'document',
  pool: 'write',
  placement: 'shard',
  handle: ({ parts, parameters: given, body }, context) =>
    put(parts.index, parts.id, given.op_type ?? 'index', given, body, context),
});

/** Without an id one is made, and the document cannot exist yet. */
export const indexNewDocument = defineEndpoint({
  name: 'index',
  action: { name: 'indices:data/write/index', isPerItem: true },
  methods: ['POST'],
  paths: ['/{index}/_doc'],
  parameters,
  body: 'document',
  pool: 'write',
  placement: 'shard',
  handle: ({ parts, parameters: given, body }, context) =>
    put(parts.index, undefined, given.op_type ?? 'create', given, body, context),
});

export const createDocument = defineEndpoint({
  name: 'create',
  action: { name: 'indices:data/write/index', isPerItem: true },
  methods: ['PUT', 'POST'],
  paths: ['/{index}/_create/{id}'],
  parameters,
  body: 'document',
  pool: 'write',
  placement: 'shard',
  handle: ({ parts, parameters: given, body }, context) => {
    if (given.op_type === 'index') throw illegalArgument("opType must be 'create', found: [index]");
    return put(parts.index, parts.id, 'create', given, body, context);
  },
});

async function put(
  index: string,
  givenId: string | undefined,
  action: 'index' | 'create',
  given: Parameters,
  body: RestBody,
  context: ActionContext,
): Promise<RestAnswer> {
  checkPipeline(given.pipeline);
  if (body.isEmpty) throw new QuarryError('parse_exception', 'request body is required');
  const id = givenId ?? newId(context.random);
  checkVersioning({ action, id, ...given });
  const answer = await writeDocument(
    {
      index,
      action: {
        action,
        id,
        ...(givenId === undefined ? { autoId: true } : {}),
        ...(given.routing === undefined ? {} : { routing: given.routing }),
        ...versionsOf(given),
      },
      body: body.bytes,
      ...(given.pipeline === undefined ? {} : { pipeline: given.pipeline }),
      requireAlias: given.require_alias,
      requireDataStream: given.require_data_stream,
      refresh: given.refresh,
      activeShards: given.wait_for_active_shards,
      timeoutMs: given.timeout,
    },
    context,
  );
  const location = answer.status === 201 ? { Location: locationOf(answer.index, answer.id, given.routing) } : {};
  return { kind: 'json', status: answer.status, chunks: [answer.json], headers: location };
}

function locationOf(index: string, id: string, routing: string | undefined): string {
  const path = `/${encodeURIComponent(index)}/_doc/${encodeURIComponent(id)}`;
  return routing === undefined ? path : `${path}?routing=${encodeURIComponent(routing)}`;
}
