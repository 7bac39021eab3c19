/** `prefix` and `wildcard`: terms by their form. */
import { illegalArgument } from '../../../base/errors.js';
import type { Place } from '../../body/place.js';
import { readBoolean, readText } from '../../body/read.js';
import type { PatternPlan, QueryPlan } from '../../plan/query-plan.js';
import {
  CommonOptions,
  fieldOf,
  readOptions,
  type Draft,
  type OptionReaders,
  type QueryParser,
} from '../query-parser.js';
import { readRewrite } from '../full-text/text-options.js';

type Name = 'prefix' | 'wildcard';

function parse(place: Place, name: Name): QueryPlan {
  const { field, body } = fieldOf(place, name);
  const draft: Draft<PatternPlan> = {};
  const common = new CommonOptions(name);
  const readValue = (value: Place) => {
    if (value.value === null) throw illegalArgument('value cannot be null');
    draft.value = readText(value);
  };
  const wildcardReaders: OptionReaders = { wildcard: readValue };
  if (!body.isObject) readValue(body);
  else {
    readOptions(body, name, {
      ...common.readers,
      ...(name === 'wildcard' ? wildcardReaders : {}),
      value: readValue,
      case_insensitive: (value) => void (draft.case_insensitive = readBoolean(value)),
      rewrite: (value) => void (draft.rewrite = readRewrite(value)),
    });
  }
  const { value } = draft;
  if (value === undefined) throw illegalArgument('value cannot be null');
  const plan = { ...draft, field, value, ...common.boosted };
  return common.named(name === 'prefix' ? { prefix: plan } : { wildcard: plan });
}

export const prefixQuery: QueryParser = { name: 'prefix', parse: (place) => parse(place, 'prefix') };
export const wildcardQuery: QueryParser = { name: 'wildcard', parse: (place) => parse(place, 'wildcard') };
