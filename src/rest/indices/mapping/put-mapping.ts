/** `PUT {index}/_mapping`. */
import type { ActionContext } from '../../../actions/context.js';
import { requireWriteTarget } from '../../../actions/documents/write-target.js';
import { authoriseRuntimeFields } from '../../../actions/security/item-actions.js';
import { QuarryError } from '../../../base/errors.js';
import { IndicesDefaults } from '../../../cluster/names/indices-options.js';
import type { IndexMetadata } from '../../../cluster/state.js';
import { answerAcknowledged } from '../../answer.js';
import { defineEndpoint } from '../../endpoint.js';
import { acknowledgedParameters, booleanParameter, indicesOptionsParameters } from '../../parameters.js';
import { idsOf, indexNames, masterTimeoutMs, namedIndices } from '../index-names.js';

export const putMappingEndpoint = defineEndpoint({
  name: 'indices.put_mapping',
  action: 'indices:admin/mapping/put',
  methods: ['PUT', 'POST'],
  paths: ['/{index}/_mapping', '/{index}/_mappings'],
  parameters: {
    ...acknowledgedParameters,
    ...indicesOptionsParameters,
    write_index_only: booleanParameter(false),
  },
  body: 'json',
  pool: 'management',
  placement: 'any',
  async handle(request, context) {
    const { parameters, parts } = request;
    const mapping = request.body.object();
    if (mapping === undefined) {
      const reason = 'Validation Failed: 1: mapping source is null;';
      throw new QuarryError('action_request_validation_exception', reason);
    }
    const indices = parameters.write_index_only
      ? writeIndices(context, parts.index)
      : namedIndices(context, parts.index, IndicesDefaults.change, parameters);
    if (mapping['runtime'] !== undefined) {
      authoriseRuntimeFields(
        context,
        indices.map(({ name }) => name),
      );
    }
    await context.coordinator.submit(
      'put-mapping',
      { indices: idsOf(indices), mapping },
      { timeoutMs: masterTimeoutMs(parameters, request.sentParameters) },
    );
    return answerAcknowledged();
  },
});

function writeIndices(context: ActionContext, part: string): readonly IndexMetadata[] {
  const nowMs = context.clock.nowMs();
  return indexNames(part).map((name) => requireWriteTarget(context.clusterState(), name, nowMs).index);
}
