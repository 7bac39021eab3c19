/** `PUT _ingest/pipeline/{id}`: stores a pipeline, once it compiles. */
import { QuarryError } from '../../base/errors.js';
import { answerAcknowledged } from '../answer.js';
import { defineEndpoint } from '../endpoint.js';
import { masterTimeoutMs } from '../indices/index-names.js';
import { acknowledgedParameters, integerParameter } from '../parameters.js';

const ID_BYTES_MAX = 512;

export const putPipelineEndpoint = defineEndpoint({
  name: 'ingest.put_pipeline',
  action: 'cluster:admin/ingest/pipeline/put',
  methods: ['PUT'],
  paths: ['/_ingest/pipeline/{id}'],
  parameters: { ...acknowledgedParameters, if_version: integerParameter() },
  body: 'json',
  pool: 'management',
  placement: 'any',
  async handle(request, context) {
    const { id } = request.parts;
    if (Buffer.byteLength(id) > ID_BYTES_MAX) {
      const reason = `Validation Failed: 1: the id of a pipeline has at most ${ID_BYTES_MAX} bytes;`;
      throw new QuarryError('action_request_validation_exception', reason);
    }
    const definition = request.body.requireObject();
    context.ingest.compile(id, definition);
    const { parameters } = request;
    const condition = parameters.if_version === undefined ? {} : { ifVersion: parameters.if_version };
    const timeoutMs = masterTimeoutMs(parameters, request.sentParameters);
    await context.coordinator.submit('put-pipeline', { id, definition, ...condition }, { timeoutMs });
    return answerAcknowledged();
  },
});
