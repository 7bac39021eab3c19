/** `POST {index}/_update/{id}`: changes parts of a document, or makes it when it is missing. */
import { writeDocument } from '../../actions/documents/write-document.js';
import { QuarryError } from '../../base/errors.js';
import { defineEndpoint } from '../endpoint.js';
import { booleanParameter, integerParameter, longParameter } from '../parameters.js';
import { checkVersioning, sourceParameters, sourceSpec, versionsOf, writeParameters } from './write-parameters.js';

export const updateDocument = defineEndpoint({
  name: 'update',
  action: { name: 'indices:data/write/update', isPerItem: true },
  methods: ['POST'],
  paths: ['/{index}/_update/{id}'],
  parameters: {
    ...writeParameters,
    ...sourceParameters,
    if_primary_term: longParameter(),
    if_seq_no: longParameter(),
    include_source_on_error: booleanParameter(true),
    require_alias: booleanParameter(false),
    /** A shard changes a document in one step: there is nothing to be tried again. */
    retry_on_conflict: integerParameter(0),
  },
  body: 'document',
  pool: 'write',
  placement: 'shard',
  async handle({ parts, parameters: given, body }, context) {
    if (body.isEmpty) throw new QuarryError('parse_exception', 'request body is required');
    checkVersioning({ action: 'update', id: parts.id, ...given });
    const source = sourceSpec(given);
    const answer = await writeDocument(
      {
        index: parts.index,
        action: {
          action: 'update',
          id: parts.id,
          ...(given.routing === undefined ? {} : { routing: given.routing }),
          ...(source === undefined ? {} : { source }),
          ...versionsOf(given),
        },
        body: body.bytes,
        requireAlias: given.require_alias,
        refresh: given.refresh,
        activeShards: given.wait_for_active_shards,
        timeoutMs: given.timeout,
      },
      context,
    );
    return { kind: 'json', status: answer.status, chunks: [answer.json] };
  },
});
