/** `GET _cat/count/{index}`. */
import { parsePreference } from '../../actions/copy-preference.js';
import { count } from '../../actions/searches/count.js';
import { commonSearchSettings } from '../../actions/searches/search-plans.js';
import { searchTargets } from '../../actions/searches/shards/search-targets.js';
import { parseCountRequest } from '../../search/request/parse-count-request.js';
import { defineEndpoint } from '../endpoint.js';
import { scopeParameters, searchScope, uriQueryParameters } from '../search/search-parameters.js';
import { TIME_COLUMNS } from './health.js';
import { answerTable, catParameters, column, type Column } from './table.js';

interface Row {
  readonly nowMs: number;
  readonly count: number;
}

const COLUMNS: readonly Column<Row>[] = [
  ...TIME_COLUMNS,
  column('count', 'documents', (row) => row.count, { aliases: 'dc,docs.count,docsCount' }),
];

export const catCountEndpoint = defineEndpoint({
  name: 'cat.count',
  action: 'indices:data/read/search',
  methods: ['GET', 'POST'],
  paths: ['/_cat/count', '/_cat/count/{index}'],
  parameters: { ...scopeParameters, ...uriQueryParameters, ...catParameters },
  body: 'json',
  pool: 'search',
  placement: 'any',
  handle({ parts, parameters, body, presentation }, context) {
    return answerTable(COLUMNS, parameters, presentation, async () => {
      const nowMs = context.clock.nowMs();
      const state = context.clusterState();
      const targets = searchTargets(state, searchScope(parts.index, parameters), nowMs);
      const settings = commonSearchSettings(
        state,
        targets.map(({ index }) => index),
      );
      const plan = parseCountRequest(body.isEmpty ? undefined : body, parameters, { settings, nowMs });
      const answer = await count(
        { plan, settings, targets, copies: parsePreference(parameters.preference).copies },
        context,
      );
      return [{ nowMs, count: answer.count }];
    });
  },
});
