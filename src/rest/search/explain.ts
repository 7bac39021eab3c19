/** `GET {index}/_explain/{id}`. */
import { explain as carryOut } from '../../actions/searches/explain.js';
import { commonSearchSettings } from '../../actions/searches/search-plans.js';
import { searchTargets } from '../../actions/searches/shards/search-targets.js';
import { parsePreference } from '../../actions/copy-preference.js';
import { QuarryError } from '../../base/errors.js';
import { IndicesDefaults } from '../../cluster/names/indices-options.js';
import { parseQueryCheck } from '../../search/request/parse-query-check.js';
import { answerJson } from '../answer.js';
import { defineEndpoint } from '../endpoint.js';
import { listParameter, stringParameter } from '../parameters.js';
import { sourceParameters, sourceSpec } from '../document/write-parameters.js';
import { uriQueryParameters } from './search-parameters.js';

export const explain = defineEndpoint({
  name: 'explain',
  action: 'indices:data/read/explain',
  methods: ['GET', 'POST'],
  paths: ['/{index}/_explain/{id}'],
  parameters: {
    ...uriQueryParameters,
    ...sourceParameters,
    preference: stringParameter(),
    routing: stringParameter(),
    stored_fields: listParameter(),
  },
  body: 'json',
  pool: 'search',
  placement: 'shard',
  async handle({ parts, parameters: given, body }, context) {
    if (body.isEmpty && given.q === undefined) {
      throw new QuarryError('action_request_validation_exception', 'Validation Failed: 1: query is missing;');
    }
    const nowMs = context.clock.nowMs();
    const state = context.clusterState();
    const scope = {
      expressions: [parts.index],
      options: IndicesDefaults.single,
      routing: given.routing,
      preference: undefined,
    };
    const [target] = searchTargets(state, scope, nowMs);
    if (target === undefined) throw new QuarryError('index_not_found_exception', `no such index [${parts.index}]`);
    const settings = commonSearchSettings(state, [target.index]);
    const plan = parseQueryCheck(body.isEmpty ? undefined : body, given, { settings, nowMs });
    const source = sourceSpec(given);
    const shown =
      given.stored_fields === undefined && (source === undefined || source === false)
        ? undefined
        : {
            ...(source === undefined ? {} : { source }),
            ...(given.stored_fields === undefined ? {} : { storedFields: given.stored_fields }),
          };
    const { copies } = parsePreference(given.preference);
    const request = { plan, settings, target, id: parts.id, routing: given.routing, copies, shown };
    const { explained, document } = await carryOut(request, context);
    const head = JSON.stringify({ _index: target.index.name, _id: parts.id, matched: explained?.matched ?? false });
    if (explained === undefined) return answerJson([Buffer.from(head, 'utf8')], 404);
    const tail = document === undefined ? '}' : `,"get":${JSON.stringify(document)}}`;
    const opening = Buffer.from(`${head.slice(0, -1)},"explanation":`, 'utf8');
    return answerJson([opening, explained.explanation, Buffer.from(tail, 'utf8')]);
  },
});
