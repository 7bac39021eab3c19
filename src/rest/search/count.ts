/** `GET _count`, `GET {index}/_count`. */
import { count as carryOut } from '../../actions/searches/count.js';
import { commonSearchSettings } from '../../actions/searches/search-plans.js';
import { searchTargets } from '../../actions/searches/shards/search-targets.js';
import { parsePreference } from '../../actions/copy-preference.js';
import { renderShards } from '../../actions/searches/shards/shard-failures.js';
import { parseCountRequest } from '../../search/request/parse-count-request.js';
import { answerValue } from '../answer.js';
import { defineEndpoint } from '../endpoint.js';
import { floatParameter, integerParameter } from '../parameters.js';
import { scopeParameters, searchScope, uriQueryParameters } from './search-parameters.js';

export const count = defineEndpoint({
  name: 'count',
  action: 'indices:data/read/search',
  methods: ['GET', 'POST'],
  paths: ['/_count', '/{index}/_count'],
  parameters: {
    ...scopeParameters,
    ...uriQueryParameters,
    min_score: floatParameter(),
    terminate_after: integerParameter(),
  },
  body: 'json',
  pool: 'search',
  placement: 'near',
  async handle({ parts, parameters: given, body }, context) {
    const nowMs = context.clock.nowMs();
    const state = context.clusterState();
    const targets = searchTargets(state, searchScope(parts.index, given), nowMs);
    const settings = commonSearchSettings(
      state,
      targets.map(({ index }) => index),
    );
    const plan = parseCountRequest(body.isEmpty ? undefined : body, given, { settings, nowMs });
    const answer = await carryOut(
      { plan, settings, targets, copies: parsePreference(given.preference).copies },
      context,
    );
    return answerValue({
      count: answer.count,
      ...(given.terminate_after === undefined ? {} : { terminated_early: answer.terminatedEarly }),
      _shards: renderShards(answer.shards),
    });
  },
});
