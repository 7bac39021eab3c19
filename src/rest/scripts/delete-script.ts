/** `DELETE _scripts/{id}`. */
import { answerAcknowledged } from '../answer.js';
import { defineEndpoint } from '../endpoint.js';
import { masterTimeoutMs } from '../indices/index-names.js';
import { acknowledgedParameters } from '../parameters.js';

export const deleteScriptEndpoint = defineEndpoint({
  name: 'delete_script',
  action: 'cluster:admin/script/delete',
  methods: ['DELETE'],
  paths: ['/_scripts/{id}'],
  parameters: acknowledgedParameters,
  body: 'none',
  pool: 'management',
  placement: 'any',
  async handle(request, context) {
    const timeoutMs = masterTimeoutMs(request.parameters, request.sentParameters);
    await context.coordinator.submit('delete-stored-script', { id: request.parts.id }, { timeoutMs });
    return answerAcknowledged();
  },
});
