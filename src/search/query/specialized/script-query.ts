/** `script`: documents for which a script is true. */
import { readScript } from '../../script/read-script.js';
import type { ScriptPlan } from '../../plan/query-plan.js';
import { CommonOptions, readOptions, type QueryParser } from '../query-parser.js';

const NAME = 'script';

export const scriptQuery: QueryParser = {
  name: NAME,
  parse(place) {
    const common = new CommonOptions(NAME);
    let script: ScriptPlan | undefined;
    readOptions(place, NAME, { ...common.readers, script: (value) => void (script = readScript(value)) });
    if (script === undefined) throw place.error('script must be provided with a [script] query');
    return common.named({ script: { script, ...common.boosted } });
  },
};
