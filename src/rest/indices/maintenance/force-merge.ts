/** `POST {index}/_forcemerge`. */
import { broadcastEach, shardsHeader } from '../../../actions/indices/broadcast.js';
import { QuarryError } from '../../../base/errors.js';
import type { ForceMergeInput } from '../../../actions/operations/shard-maintenance.js';
import type { IndexMetadata } from '../../../cluster/state.js';
import { IndicesDefaults } from '../../../cluster/names/indices-options.js';
import { mergePolicy } from '../../../cluster/settings/index-values.js';
import type { Work } from '../../../actions/tasks/background.js';
import { answerValue } from '../../answer.js';
import { defineEndpoint } from '../../endpoint.js';
import { booleanParameter, indicesOptionsParameters, integerParameter } from '../../parameters.js';
import { answerTask } from '../../tasks/answer-task.js';
import { indexNames, namedIndices } from '../index-names.js';
import { openOnly } from './refresh.js';

/** What `max_num_segments` is when it is not given: merge whatever the policy finds due. */
const ANY_NUMBER = -1;

export const forceMergeEndpoint = defineEndpoint({
  name: 'indices.forcemerge',
  action: 'indices:admin/forcemerge',
  methods: ['POST'],
  paths: ['/_forcemerge', '/{index}/_forcemerge'],
  parameters: {
    ...indicesOptionsParameters,
    max_num_segments: integerParameter(ANY_NUMBER),
    only_expunge_deletes: booleanParameter(false),
    flush: booleanParameter(true),
    primary_only: booleanParameter(false),
    wait_for_completion: booleanParameter(true),
  },
  body: 'none',
  pool: 'management',
  placement: 'any',
  async handle(request, context) {
    const { parameters, parts } = request;
    const isStrict = context.settings.values['compatibility.distribution'] === 'elasticsearch';
    checkCombination(parameters.max_num_segments ?? ANY_NUMBER, parameters.only_expunge_deletes, isStrict);
    const { max_num_segments: asked = ANY_NUMBER, only_expunge_deletes: onlyExpungeDeletes, flush } = parameters;
    const maxSegments = asked === ANY_NUMBER ? undefined : asked;
    const inputFor = (index: IndexMetadata): ForceMergeInput => ({
      policy: mergePolicy(index),
      maxSegments,
      onlyExpungeDeletes,
      flush,
    });
    const copies = parameters.primary_only ? 'primaries' : 'all';
    // A task finds out itself which indices there are.
    const work: Work = async (own) => {
      const indices = namedIndices(own, parts.index, IndicesDefaults.expandOpenForbidClosed, parameters);
      return { _shards: shardsHeader(await broadcastEach(own, openOnly(indices), 'force-merge', inputFor, copies)) };
    };
    if (parameters.wait_for_completion) return answerValue(await work(context));
    const names = indexNames(parts.index).join(', ');
    const what = `maxSegments[${asked}], onlyExpungeDeletes[${onlyExpungeDeletes}], flush[${flush}]`;
    const primaryOnly = `primaryOnly[${parameters.primary_only}]`;
    const description = `Force-merge indices [${names}], ${what}, ${primaryOnly}`;
    const task = { action: 'indices:admin/forcemerge', description };
    return answerTask(task, work, context);
  },
});

/** Where both are accepted, expunging wins. */
function checkCombination(maxSegments: number, onlyExpungeDeletes: boolean, isStrict: boolean): void {
  if (isStrict && onlyExpungeDeletes && maxSegments !== ANY_NUMBER) {
    const reason =
      'Validation Failed: 1: cannot set only_expunge_deletes and max_num_segments at the same time, those two ' +
      'parameters are mutually exclusive;';
    throw new QuarryError('action_request_validation_exception', reason);
  }
  if (maxSegments !== ANY_NUMBER && maxSegments < 1) {
    const reason = `Validation Failed: 1: max_num_segments must be at least 1 but was [${maxSegments}];`;
    throw new QuarryError('action_request_validation_exception', reason);
  }
}
