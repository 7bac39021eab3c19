/** `DELETE {index}/_doc/{id}`. */
import { writeDocument } from '../../actions/documents/write-document.js';
import { defineEndpoint } from '../endpoint.js';
import { checkVersioning, versionParameters, versionsOf, writeParameters } from './write-parameters.js';

export const deleteDocument = defineEndpoint({
  name: 'delete',
  action: { name: 'indices:data/write/delete', isPerItem: true },
  methods: ['DELETE'],
  paths: ['/{index}/_doc/{id}'],
  parameters: { ...writeParameters, ...versionParameters },
  body: 'none',
  pool: 'write',
  placement: 'shard',
  async handle({ parts, parameters: given }, context) {
    checkVersioning({ action: 'delete', id: parts.id, ...given });
    const answer = await writeDocument(
      {
        index: parts.index,
        action: {
          action: 'delete',
          id: parts.id,
          ...(given.routing === undefined ? {} : { routing: given.routing }),
          ...versionsOf(given),
        },
        body: new Uint8Array(0),
        requireAlias: false,
        refresh: given.refresh,
        activeShards: given.wait_for_active_shards,
        timeoutMs: given.timeout,
      },
      context,
    );
    return { kind: 'json', status: answer.status, chunks: [answer.json] };
  },
});
