/** `regexp`: terms by a regular expression of Lucene's syntax. */
import { illegalArgument } from '../../../base/errors.js';
import type { Place } from '../../body/place.js';
import { readBoolean, readInt, readText } from '../../body/read.js';
import type { RegexpPlan } from '../../plan/query-plan.js';
import type { SearchSettings } from '../../settings.js';
import { CommonOptions, fieldOf, readScalarOptions, type Draft, type QueryParser } from '../query-parser.js';
import { readRewrite } from '../full-text/text-options.js';

const NAME = 'regexp';

const FLAGS = ['INTERSECTION', 'COMPLEMENT', 'EMPTY', 'ANYSTRING', 'INTERVAL', 'NONE', 'ALL'];

export function readRegexFlags(place: Place): readonly string[] {
  return readText(place)
    .split('|')
    .filter((flag) => flag !== '')
    .map((flag) => {
      if (FLAGS.includes(flag.toUpperCase())) return flag.toUpperCase();
      throw illegalArgument(`Unknown regexp flag [${flag}]`);
    });
}

/** Flags as bits of a number, as older requests have them. */
const FLAG_BITS: readonly (readonly [string, number])[] = [
  ['INTERSECTION', 0x01],
  ['COMPLEMENT', 0x02],
  ['EMPTY', 0x04],
  ['ANYSTRING', 0x08],
  ['INTERVAL', 0x20],
];
const ALL_BITS = 0xff;

export function readRegexFlagsValue(place: Place): readonly string[] {
  const bits = readInt(place);
  if ((bits & ALL_BITS) === ALL_BITS) return ['ALL'];
  const flags = FLAG_BITS.filter(([, bit]) => (bits & bit) !== 0).map(([flag]) => flag);
  return flags.length === 0 ? ['NONE'] : flags;
}

export function readStates(place: Place): number {
  const states = readInt(place);
  if (states > 0) return states;
  throw illegalArgument(`[max_determinized_states] must be positive, got [${states}]`);
}

export function checkRegexLength(pattern: string, settings: SearchSettings): void {
  if (pattern.length <= settings.maxRegexLength) return;
  throw illegalArgument(
    `The length of regex [${pattern.length}] used in the Regexp Query request has exceeded the allowed maximum of ` +
      `[${settings.maxRegexLength}]. This maximum can be set by changing the [index.max_regex_length] index level setting.`,
  );
}

export const regexpQuery: QueryParser = {
  name: NAME,
  parse(place, context) {
    const { field, body } = fieldOf(place, NAME);
    const draft: Draft<RegexpPlan> = {};
    const common = new CommonOptions(NAME);
    if (!body.isObject) draft.value = readText(body);
    else {
      readScalarOptions(body, NAME, {
        ...common.readers,
        value: (value) => void (draft.value = readText(value)),
        flags: (value) => void (draft.flags = readRegexFlags(value)),
        flags_value: (value) => void (draft.flags = readRegexFlagsValue(value)),
        max_determinized_states: (value) => void (draft.max_determinized_states = readStates(value)),
        case_insensitive: (value) => void (draft.case_insensitive = readBoolean(value)),
        rewrite: (value) => void (draft.rewrite = readRewrite(value)),
      });
    }
    const { value } = draft;
    if (value === undefined) throw illegalArgument('value cannot be null');
    checkRegexLength(value, context.settings);
    return common.named({ regexp: { ...draft, field, value, ...common.boosted } });
  },
};
