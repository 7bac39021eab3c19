/** `GET _scripts/{id}`: a stored script. */
import { answerValue } from '../answer.js';
import { defineEndpoint } from '../endpoint.js';
import { timeParameter } from '../parameters.js';

export const getScriptEndpoint = defineEndpoint({
  name: 'get_script',
  action: 'cluster:admin/script/get',
  methods: ['GET'],
  paths: ['/_scripts/{id}'],
  parameters: { master_timeout: timeParameter(30_000), cluster_manager_timeout: timeParameter(30_000) },
  body: 'none',
  pool: 'management',
  placement: 'any',
  handle(request, context) {
    const { id } = request.parts;
    const script = context.clusterState().storedScripts.get(id);
    if (script === undefined) return answerValue({ _id: id, found: false }, 404);
    return answerValue({ _id: id, found: true, script });
  },
});
