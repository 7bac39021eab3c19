/** `script_score`: matches of a query, scored by a script. */
import { readNumber } from '../../body/read.js';
import type { QueryPlan, ScriptPlan } from '../../plan/query-plan.js';
import { readScript } from '../../script/read-script.js';
import { CommonOptions, readOptions, type QueryParser } from '../query-parser.js';

const NAME = 'script_score';

export const scriptScoreQuery: QueryParser = {
  name: NAME,
  parse(place, context) {
    const common = new CommonOptions(NAME);
    let query: QueryPlan | undefined;
    let script: ScriptPlan | undefined;
    let minScore: number | undefined;
    readOptions(place, NAME, {
      ...common.readers,
      query: (value) => void (query = context.parseQuery(value)),
      script: (value) => void (script = readScript(value)),
      min_score: (value) => void (minScore = readNumber(value)),
    });
    if (query === undefined) throw place.error(`[${NAME}] requires a 'query' element`);
    if (script === undefined) throw place.error(`[${NAME}] requires a 'script' element`);
    const threshold = minScore === undefined ? {} : { min_score: minScore };
    return common.named({ script_score: { query, script, ...threshold, ...common.boosted } });
  },
};
