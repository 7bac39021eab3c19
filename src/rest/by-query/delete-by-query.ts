/** `POST {index}/_delete_by_query`. */
import { deletions } from '../../actions/by-query/make-writes.js';
import { QuarryError } from '../../base/errors.js';
import { validationFailure } from '../../search/request/combinations.js';
import { defineEndpoint } from '../endpoint.js';
import { answerWork } from './common.js';
import { queryParameters, queryWork, splitBody } from './query-work.js';

export const deleteByQueryEndpoint = defineEndpoint({
  name: 'delete_by_query',
  action: { name: 'indices:data/write/delete/byquery', also: ['indices:data/read/search'] },
  methods: ['POST'],
  paths: ['/{index}/_delete_by_query'],
  parameters: queryParameters,
  body: 'json',
  pool: 'write',
  placement: 'any',
  async handle({ parts, parameters: given, body }, context) {
    if (body.isEmpty && given.q === undefined) throw new QuarryError('parse_exception', 'request body is required');
    const split = splitBody(body);
    if (!split.hasQuery && given.q === undefined) throw validationFailure(['query is missing']);
    const { plans } = queryWork(parts.index, given, split, { source: false }, context);
    const work = {
      action: 'indices:data/write/delete/byquery',
      description: `delete-by-query [${parts.index}]`,
      plans: plans.map((plan) => ({ ...plan, make: deletions })),
      pace: given.requests_per_second,
      refresh: given.refresh,
    };
    return answerWork(work, { created: false, updated: false }, given.wait_for_completion, context);
  },
});
