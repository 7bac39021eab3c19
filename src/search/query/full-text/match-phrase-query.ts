/** `match_phrase` and `match_phrase_prefix`: terms at their places, the last one perhaps a prefix. */
import type { Place } from '../../body/place.js';
import { readVerbatim, readText } from '../../body/read.js';
import type { MatchPhrasePlan, QueryPlan } from '../../plan/query-plan.js';
import {
  CommonOptions,
  fieldOf,
  readScalarOptions,
  type Draft,
  type OptionReaders,
  type QueryParser,
} from '../query-parser.js';
import { readCount, readZeroTerms } from './text-options.js';

type Name = 'match_phrase' | 'match_phrase_prefix';

function parse(place: Place, name: Name): QueryPlan {
  const { field, body } = fieldOf(place, name);
  const draft: Draft<MatchPhrasePlan> = {};
  const common = new CommonOptions(name);
  const prefixReaders: OptionReaders = {
    max_expansions: (value) => void (draft.max_expansions = readCount(value, 0, 'No negative maxExpansions allowed.')),
  };
  if (!body.isObject) draft.query = readVerbatim(body);
  else {
    readScalarOptions(body, name, {
      ...common.readers,
      ...(name === 'match_phrase_prefix' ? prefixReaders : {}),
      query: (value) => void (draft.query = readVerbatim(value)),
      analyzer: (value) => void (draft.analyzer = readText(value)),
      slop: (value) => void (draft.slop = readCount(value, 0, 'No negative slop allowed.')),
      zero_terms_query: (value) => void (draft.zero_terms = readZeroTerms(value)),
    });
  }
  const { query } = draft;
  if (query === undefined || query === null) throw body.error('No text specified for text query');
  const plan = { ...draft, field, query, ...common.boosted };
  return common.named(name === 'match_phrase' ? { match_phrase: plan } : { match_phrase_prefix: plan });
}

export const matchPhraseQuery: QueryParser = { name: 'match_phrase', parse: (place) => parse(place, 'match_phrase') };
export const matchPhrasePrefixQuery: QueryParser = {
  name: 'match_phrase_prefix',
  parse: (place) => parse(place, 'match_phrase_prefix'),
};
