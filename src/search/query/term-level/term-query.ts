/** `term`: one exact value. */
import { illegalArgument } from '../../../base/errors.js';
import { readBoolean, readVerbatim } from '../../body/read.js';
import type { TermPlan } from '../../plan/query-plan.js';
import { CommonOptions, fieldOf, readOptions, type Draft, type QueryParser } from '../query-parser.js';

const NAME = 'term';

export const termQuery: QueryParser = {
  name: NAME,
  parse(place) {
    for (const [, value] of place.members()) {
      if (value.isArray) throw value.error(`[${NAME}] query does not support array of values`);
    }
    const { field, body } = fieldOf(place, NAME);
    const draft: Draft<TermPlan> = {};
    const common = new CommonOptions(NAME);
    if (!body.isObject) draft.value = readVerbatim(body);
    else {
      readOptions(body, NAME, {
        ...common.readers,
        value: (value) => void (draft.value = readVerbatim(value)),
        case_insensitive: (value) => void (draft.case_insensitive = readBoolean(value)),
      });
    }
    const { value } = draft;
    if (value === undefined || value === null) throw illegalArgument('value cannot be null');
    return common.named({ term: { ...draft, field, value, ...common.boosted } });
  },
};
