/** `_scripts/painless/_execute`: runs a script on its own. */
import { illegalArgument, QuarryError } from '../../base/errors.js';
import { executeScript } from '../../native/scripts.js';
import { Place } from '../../search/body/place.js';
import { readText } from '../../search/body/read.js';
import type { ScriptPlan } from '../../search/plan/query-plan.js';
import { readScript } from '../../search/script/read-script.js';
import { answerValue } from '../answer.js';
import { defineEndpoint } from '../endpoint.js';

export const executeScriptEndpoint = defineEndpoint({
  name: 'scripts_painless_execute',
  action: 'cluster:admin/scripts/painless/execute',
  methods: ['GET', 'POST'],
  paths: ['/_scripts/painless/_execute'],
  parameters: {},
  body: 'json',
  pool: 'management',
  placement: 'any',
  handle(request) {
    let script: ScriptPlan | undefined;
    for (const [name, value] of Place.ofBody(request.body).members()) {
      if (name === 'script') script = readScript(value);
      else if (name === 'context') checkContext(readText(value));
      else if (name === 'context_setup') throw illegalArgument('[context_setup] is not supported');
      else throw value.errorWithPlace(`[execute_painless_request] unknown field [${name}]`);
    }
    if (script === undefined) {
      throw new QuarryError('action_request_validation_exception', 'Validation Failed: 1: script is missing;');
    }
    return answerValue({ result: executeScript(JSON.stringify(script)) });
  },
});

/** Contexts with a document need one indexed for the request. */
function checkContext(context: string): void {
  if (context !== 'painless_test') throw illegalArgument(`unsupported script context name [${context}]`);
}
