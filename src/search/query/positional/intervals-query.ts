/** `intervals`: rules about where words stand. */
import { illegalArgument } from '../../../base/errors.js';
import type { Place } from '../../body/place.js';
import { readBoolean, readInt, readScalar, readText } from '../../body/read.js';
import type { FilterRelation, IntervalKindPlan, IntervalMode, IntervalRulePlan } from '../../plan/positional-plans.js';
import type { BoundPlan } from '../../plan/query-plan.js';
import { readScript } from '../../script/read-script.js';
import { CommonOptions, fieldOf, type Draft, type QueryContext, type QueryParser } from '../query-parser.js';
import { readCount, readFuzziness } from '../full-text/text-options.js';
import { checkRegexLength, readRegexFlags, readRegexFlagsValue } from '../term-level/regexp-query.js';

const NAME = 'intervals';
const EXPANSIONS_DEFAULT = 128;
const EXPANSIONS_MAX = 1024;

type Rule = Draft<Omit<IntervalRulePlan, 'kind'>>;
type Readers = Readonly<Record<string, (value: Place) => void>>;

function readMembers(place: Place, rule: string, readers: Readers): void {
  if (!place.isObject) throw place.error(`Expected [START_OBJECT] but got [${place.token}]`);
  for (const [name, value] of place.members()) {
    const read = Object.hasOwn(readers, name) ? readers[name] : undefined;
    if (read === undefined) throw value.errorWithPlace(`[${rule}] unknown field [${name}]`);
    read(value);
  }
}

/** Where to look and how to analyse, which most rules may say. */
function scopeReaders(rule: Rule): Readers {
  return {
    analyzer: (value) => void (rule.analyzer = readText(value)),
    use_field: (value) => void (rule.use_field = readText(value)),
  };
}

function required<T>(value: T | undefined, name: string): T {
  if (value === undefined) throw illegalArgument(`Required [${name}]`);
  return value;
}

/** How the parts of a rule stand to each other: `mode`, or `ordered` of older requests. */
class Arrangement {
  mode: IntervalMode = 'unordered';
  maxGaps = -1;

  get readers(): Readers {
    return {
      mode: (value) => void (this.mode = readMode(value)),
      ordered: (value) => void (this.mode = readBoolean(value) ? 'ordered' : 'unordered'),
      max_gaps: (value) => void (this.maxGaps = readInt(value)),
    };
  }

  get plan(): { readonly max_gaps: number; readonly mode: IntervalMode } {
    return { max_gaps: this.maxGaps, mode: this.mode };
  }
}

const MODES: readonly IntervalMode[] = ['ordered', 'unordered', 'unordered_no_overlap'];

function readMode(place: Place): IntervalMode {
  const text = readText(place);
  const mode = MODES.find((known) => known === text.toLowerCase());
  if (mode !== undefined) return mode;
  throw illegalArgument(`unexpected mode [${text}], expected one of: ${MODES.join(', ')}`);
}

function readExpansions(place: Place): number {
  const count = readInt(place);
  if (count > 0 && count <= EXPANSIONS_MAX) return count;
  throw illegalArgument(`max_expansions [${count}] must be between 1 and ${EXPANSIONS_MAX}`);
}

type RuleReader = (place: Place, rule: Rule, context: QueryContext) => IntervalKindPlan;

function matchRule(place: Place, rule: Rule, context: QueryContext): IntervalKindPlan {
  let query: string | undefined;
  const arrangement = new Arrangement();
  readMembers(place, 'match', {
    ...scopeReaders(rule),
    ...arrangement.readers,
    query: (value) => void (query = readText(value)),
    filter: (value) => readFilter(value, rule, context),
  });
  return { match: { query: required(query, 'query'), ...arrangement.plan } };
}

function prefixRule(place: Place, rule: Rule): IntervalKindPlan {
  let prefix: string | undefined;
  readMembers(place, 'prefix', { ...scopeReaders(rule), prefix: (value) => void (prefix = readText(value)) });
  return { prefix: { prefix: required(prefix, 'prefix') } };
}

function wildcardRule(place: Place, rule: Rule): IntervalKindPlan {
  let pattern: string | undefined;
  let expansions = EXPANSIONS_DEFAULT;
  readMembers(place, 'wildcard', {
    ...scopeReaders(rule),
    pattern: (value) => void (pattern = readText(value)),
    max_expansions: (value) => void (expansions = readExpansions(value)),
  });
  return { wildcard: { pattern: required(pattern, 'pattern'), max_expansions: expansions } };
}

function regexpRule(place: Place, rule: Rule, context: QueryContext): IntervalKindPlan {
  let pattern: string | undefined;
  let flags: readonly string[] = [];
  let expansions = EXPANSIONS_DEFAULT;
  let isCaseInsensitive = false;
  readMembers(place, 'regexp', {
    ...scopeReaders(rule),
    pattern: (value) => void (pattern = readText(value)),
    flags: (value) => void (flags = readRegexFlags(value)),
    flags_value: (value) => void (flags = readRegexFlagsValue(value)),
    max_expansions: (value) => void (expansions = readExpansions(value)),
    case_insensitive: (value) => void (isCaseInsensitive = readBoolean(value)),
  });
  const text = required(pattern, 'pattern');
  checkRegexLength(text, context.settings);
  return { regexp: { pattern: text, flags, case_insensitive: isCaseInsensitive, max_expansions: expansions } };
}

function rangeRule(place: Place, rule: Rule): IntervalKindPlan {
  const ends: Draft<{ from: BoundPlan; to: BoundPlan }> = {};
  const end = (name: 'from' | 'to', inclusive: boolean) => (value: Place) => {
    if (ends[name] !== undefined) throw illegalArgument(`Only one of the ends [${name}] of a range may be given`);
    ends[name] = { value: readScalar(value), inclusive };
  };
  readMembers(place, 'range', {
    ...scopeReaders(rule),
    gt: end('from', false),
    gte: end('from', true),
    lt: end('to', false),
    lte: end('to', true),
  });
  required(ends.from, 'gte, gt');
  required(ends.to, 'lte, lt');
  return { range: ends };
}

function fuzzyRule(place: Place, rule: Rule): IntervalKindPlan {
  let term: string | undefined;
  const fuzzy: Draft<Extract<IntervalKindPlan, { fuzzy: unknown }>['fuzzy']> = {};
  readMembers(place, 'fuzzy', {
    ...scopeReaders(rule),
    term: (value) => void (term = readText(value)),
    prefix_length: (value) => void (fuzzy.prefix_length = readCount(value, 0, 'prefixLength cannot be negative')),
    transpositions: (value) => void (fuzzy.transpositions = readBoolean(value)),
    fuzziness: (value) => void (fuzzy.fuzziness = readFuzziness(value)),
  });
  return {
    fuzzy: {
      term: required(term, 'term'),
      fuzziness: fuzzy.fuzziness ?? { auto: { low: 3, high: 6 } },
      prefix_length: fuzzy.prefix_length ?? 0,
      transpositions: fuzzy.transpositions ?? true,
    },
  };
}

function readRules(place: Place, context: QueryContext): readonly IntervalRulePlan[] {
  return place.items().map((item) => {
    const [first, second] = item.members();
    if (first === undefined || second !== undefined) {
      throw item.error('Expected an object with one rule');
    }
    return readRule(first[0], first[1], context.enter());
  });
}

function allOf(place: Place, rule: Rule, context: QueryContext): IntervalKindPlan {
  let intervals: readonly IntervalRulePlan[] | undefined;
  const arrangement = new Arrangement();
  readMembers(place, 'all_of', {
    ...arrangement.readers,
    intervals: (value) => void (intervals = readRules(value, context)),
    filter: (value) => readFilter(value, rule, context),
  });
  return { all_of: { intervals: required(intervals, 'intervals'), ...arrangement.plan } };
}

function anyOf(place: Place, rule: Rule, context: QueryContext): IntervalKindPlan {
  let intervals: readonly IntervalRulePlan[] | undefined;
  readMembers(place, 'any_of', {
    intervals: (value) => void (intervals = readRules(value, context)),
    filter: (value) => readFilter(value, rule, context),
  });
  return { any_of: { intervals: required(intervals, 'intervals') } };
}

const RULES: ReadonlyMap<string, RuleReader> = new Map<string, RuleReader>([
  ['match', matchRule],
  ['prefix', prefixRule],
  ['wildcard', wildcardRule],
  ['regexp', regexpRule],
  ['range', rangeRule],
  ['fuzzy', fuzzyRule],
  ['all_of', allOf],
  ['any_of', anyOf],
]);

function readRule(name: string, place: Place, context: QueryContext): IntervalRulePlan {
  const reader = RULES.get(name);
  if (reader === undefined) {
    throw place.error(`Unknown interval type [${name}], expecting one of [${[...RULES.keys()].join(', ')}]`);
  }
  const rule: Rule = {};
  const kind = reader(place, rule, context);
  return { ...rule, kind };
}

const RELATIONS: readonly FilterRelation[] = [
  'containing',
  'not_containing',
  'contained_by',
  'not_contained_by',
  'overlapping',
  'not_overlapping',
  'before',
  'after',
];

function readFilter(place: Place, rule: Rule, context: QueryContext): void {
  const [first, second] = place.members();
  if (first === undefined || second !== undefined) throw place.error('Expected an object with one filter');
  const [name, body] = first;
  if (name === 'script') {
    rule.script = readScript(body);
    return;
  }
  const relation = RELATIONS.find((known) => known === name);
  if (relation === undefined) {
    throw illegalArgument(`Unknown filter type [${name}], expecting one of [script, ${RELATIONS.join(', ')}]`);
  }
  const [other] = body.members();
  if (other === undefined) throw body.error('Expected an object with one rule');
  rule.filter = { relation, rule: readRule(other[0], other[1], context.enter()) };
}

export const intervalsQuery: QueryParser = {
  name: NAME,
  parse(place, context) {
    const { field, body } = fieldOf(place, NAME);
    if (!body.isObject) throw body.error(`Expected [START_OBJECT] but got [${body.token}]`);
    const common = new CommonOptions(NAME);
    const commonReaders = common.readers;
    let rule: IntervalRulePlan | undefined;
    for (const [name, value] of body.members()) {
      const read = Object.hasOwn(commonReaders, name) ? commonReaders[name] : undefined;
      if (read !== undefined) read(value);
      else if (rule !== undefined) {
        throw value.error(
          `Only one interval rule can be specified, found [${Object.keys(rule.kind)[0] ?? ''}] and [${name}]`,
        );
      } else rule = readRule(name, value, context);
    }
    if (rule === undefined) throw body.error('Missing intervals from interval query definition');
    return common.named({ intervals: { field, rule, ...common.boosted } });
  },
};
