/** `GET _ingest/pipeline/{id}`: pipelines as they were put. */
import { matchesAny } from '../../cluster/names/wildcard.js';
import { answerValue } from '../answer.js';
import { defineEndpoint } from '../endpoint.js';
import { stateReadParameters } from '../indices/index-names.js';
import { booleanParameter, splitList } from '../parameters.js';

export const getPipelineEndpoint = defineEndpoint({
  name: 'ingest.get_pipeline',
  action: 'cluster:admin/ingest/pipeline/get',
  methods: ['GET'],
  paths: ['/_ingest/pipeline', '/_ingest/pipeline/{id}'],
  parameters: { ...stateReadParameters, summary: booleanParameter(false) },
  body: 'none',
  pool: 'management',
  placement: 'any',
  handle(request, context) {
    const names = request.parts.id === undefined ? ['*'] : splitList(request.parts.id);
    const found = [...context.clusterState().pipelines].filter(([id]) => matchesAny(names, id));
    const shown = found.map(([id, { definition }]) => [id, request.parameters.summary ? {} : definition] as const);
    return answerValue(Object.fromEntries(shown), found.length === 0 ? 404 : 200);
  },
});
