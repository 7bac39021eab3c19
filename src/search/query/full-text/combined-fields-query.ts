/** `combined_fields`: several text fields searched as if they were one. */
import { illegalArgument } from '../../../base/errors.js';
import { readBoolean, readText } from '../../body/read.js';
import type { CombinedFieldsPlan } from '../../plan/text-plans.js';
import { CommonOptions, type Draft, type OptionReaders, type QueryParser } from '../query-parser.js';
import { readMinimumShouldMatch, readOperator, readZeroTerms } from './text-options.js';
import { defaultFields, readWeightedFields } from './weighted-fields.js';

const NAME = 'combined_fields';

export const combinedFieldsQuery: QueryParser = {
  name: NAME,
  parse(place, context) {
    const draft: Draft<CombinedFieldsPlan> = {};
    const common = new CommonOptions(NAME);
    const readers: OptionReaders = {
      ...common.readers,
      query: (value) => void (draft.query = readText(value)),
      fields: (value) => void (draft.fields = readWeightedFields(value, NAME)),
      operator: (value) => void (draft.operator = readOperator(value)),
      minimum_should_match: (value) => void (draft.minimum_should_match = readMinimumShouldMatch(value)),
      zero_terms_query: (value) => void (draft.zero_terms = readZeroTerms(value)),
      auto_generate_synonyms_phrase_query: (value) => void (draft.synonym_phrases = readBoolean(value)),
    };
    for (const [name, value] of place.members()) {
      const read = Object.hasOwn(readers, name) ? readers[name] : undefined;
      if (read === undefined) throw value.errorWithPlace(`[${NAME}] unknown field [${name}]`);
      read(value);
    }
    const { query, fields = defaultFields(context.settings).fields } = draft;
    if (query === undefined) throw illegalArgument('Required [query]');
    const low = fields.find(({ boost }) => boost !== undefined && boost < 1);
    if (low !== undefined) {
      throw illegalArgument(
        `[${NAME}] requires field boosts to be >= 1, found [${String(low.boost)}] for field [${low.field}]`,
      );
    }
    return common.named({ combined_fields: { ...draft, query, fields, ...common.boosted } });
  },
};
