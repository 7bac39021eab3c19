/** `DELETE _ingest/pipeline/{id}`. */
import { answerAcknowledged } from '../answer.js';
import { defineEndpoint } from '../endpoint.js';
import { masterTimeoutMs } from '../indices/index-names.js';
import { acknowledgedParameters } from '../parameters.js';

export const deletePipelineEndpoint = defineEndpoint({
  name: 'ingest.delete_pipeline',
  action: 'cluster:admin/ingest/pipeline/delete',
  methods: ['DELETE'],
  paths: ['/_ingest/pipeline/{id}'],
  parameters: acknowledgedParameters,
  body: 'none',
  pool: 'management',
  placement: 'any',
  async handle(request, context) {
    const { id } = request.parts;
    const timeoutMs = masterTimeoutMs(request.parameters, request.sentParameters);
    await context.coordinator.submit('delete-pipelines', { id }, { timeoutMs });
    return answerAcknowledged();
  },
});
