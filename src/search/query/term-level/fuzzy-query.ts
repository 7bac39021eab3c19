/** `fuzzy`: terms within an edit distance. */
import { illegalArgument } from '../../../base/errors.js';
import { readBoolean, readScalar } from '../../body/read.js';
import type { FuzzyOptionsPlan, FuzzyPlan } from '../../plan/query-plan.js';
import { CommonOptions, fieldOf, readScalarOptions, type Draft, type QueryParser } from '../query-parser.js';
import { readCount, readFuzziness, readRewrite } from '../full-text/text-options.js';

const NAME = 'fuzzy';

export const fuzzyQuery: QueryParser = {
  name: NAME,
  parse(place) {
    const { field, body } = fieldOf(place, NAME);
    const draft: Draft<FuzzyPlan> = {};
    const options: Draft<FuzzyOptionsPlan> = {};
    const common = new CommonOptions(NAME);
    if (!body.isObject) draft.value = readScalar(body);
    else {
      readScalarOptions(body, NAME, {
        ...common.readers,
        value: (value) => void (draft.value = readScalar(value)),
        fuzziness: (value) => void (options.fuzziness = readFuzziness(value)),
        prefix_length: (value) => void (options.prefix_length = readCount(value, 0, 'prefixLength cannot be negative')),
        max_expansions: (value) =>
          void (options.max_expansions = readCount(value, 1, 'maxExpansions must be positive')),
        transpositions: (value) => void (options.transpositions = readBoolean(value)),
        rewrite: (value) => void (options.rewrite = readRewrite(value)),
      });
    }
    const { value } = draft;
    if (value === undefined || value === null) throw illegalArgument('query value cannot be null');
    const fuzzy = { ...options, fuzziness: options.fuzziness ?? { auto: { low: 3, high: 6 } } };
    return common.named({ fuzzy: { field, value, fuzzy, ...common.boosted } });
  },
};
