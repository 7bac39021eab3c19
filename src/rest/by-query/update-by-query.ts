/** `POST {index}/_update_by_query`. */
import { rewrites, unchanged } from '../../actions/by-query/make-writes.js';
import type { JobPlan } from '../../actions/by-query/job.js';
import { scriptedWrites, type ScriptRules } from '../../actions/by-query/scripted-writes.js';
import { Place } from '../../search/body/place.js';
import { readScript } from '../../search/script/read-script.js';
import type { NativeScript } from '../../native/scripts.js';
import { checkPipeline } from '../document/write-parameters.js';
import { defineEndpoint } from '../endpoint.js';
import { booleanParameter, stringParameter } from '../parameters.js';
import { answerWork } from './common.js';
import { queryParameters, queryWork, splitBody } from './query-work.js';

export const updateByQueryEndpoint = defineEndpoint({
  name: 'update_by_query',
  action: { name: 'indices:data/write/update/byquery', also: ['indices:data/read/search'] },
  methods: ['POST'],
  paths: ['/{index}/_update_by_query'],
  parameters: {
    ...queryParameters,
    pipeline: stringParameter(),
    /** Concurrent changes are told by sequence numbers, whatever this says. */
    version_type: booleanParameter(),
  },
  body: 'json',
  pool: 'write',
  placement: 'any',
  async handle({ parts, parameters: given, body }, context) {
    checkPipeline(given.pipeline);
    const split = splitBody(body, ['script']);
    const place = Place.ofBody(body.isEmpty ? undefined : body);
    const script = [...place.members()].find(([name]) => name === 'script')?.[1];
    const make = script === undefined ? rewrites : scripted(readScript(script));
    const { plans } = queryWork(parts.index, given, split, { source: true }, context);
    const piped = given.pipeline === undefined ? {} : { pipeline: given.pipeline };
    const work = {
      action: 'indices:data/write/update/byquery',
      description: `update-by-query [${parts.index}]${script === undefined ? '' : ' updated with a script'}`,
      plans: plans.map((plan) => ({ ...plan, ...piped, make })),
      pace: given.requests_per_second,
      refresh: given.refresh,
    };
    return answerWork(work, { created: false, updated: true }, given.wait_for_completion, context);
  },
});

function scripted(script: NativeScript): JobPlan['make'] {
  const rules: ScriptRules = {
    script,
    context: 'update_by_query',
    mayMove: false,
    plain: (hit) => unchanged(hit, 'index'),
    deletion: (hit) => unchanged(hit, 'delete'),
    indexOf: ({ index }) => index,
  };
  return (page, hits, context) => scriptedWrites(page, hits, rules, context);
}
