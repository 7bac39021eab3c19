/**
 * `simple_query_string`: a query syntax without errors. `+` and `|` join, `-` negates, `"` quotes, `*` at the end of a word
 * makes a prefix, `~N` allows edits or slop, parentheses group; what does not fit is taken as text.
 */
import { illegalArgument } from '../../../base/errors.js';
import type { Place } from '../../body/place.js';
import { readBoolean, readInt, readText } from '../../body/read.js';
import type { Operator, QueryPlan, WeightedField } from '../../plan/query-plan.js';
import { CommonOptions, readOptions, type QueryParser } from '../query-parser.js';
import { readCount, readMinimumShouldMatch, readOperator } from './text-options.js';
import { defaultFields, readWeightedFields } from './weighted-fields.js';

const NAME = 'simple_query_string';
const NESTING_MAX = 100;
/** As deep as a query of a body may be where nothing else limits it. */
const OPERATOR_CHANGES_MAX = 300;

const FLAGS = ['AND', 'NOT', 'OR', 'PREFIX', 'PHRASE', 'PRECEDENCE', 'ESCAPE', 'WHITESPACE', 'FUZZY', 'NEAR', 'SLOP'];

interface Options {
  fields: readonly WeightedField[];
  operator: Operator;
  analyzer?: string;
  quoteFieldSuffix?: string;
  lenient: boolean;
  synonymPhrases: boolean;
  analyzeWildcard: boolean;
  flags: ReadonlySet<string>;
  fuzzyPrefixLength: number;
  fuzzyMaxExpansions: number;
  fuzzyTranspositions: boolean;
}

/** Names joined by `|`, or a number with a bit for each of them in their order. */
function readFlags(place: Place): ReadonlySet<string> {
  if (typeof place.value === 'number') return flagsOfBits(readInt(place));
  const names = readText(place)
    .split('|')
    .map((name) => name.trim())
    .filter((name) => name !== '');
  const flags = names.map(flagOf);
  if (names.length === 0 || flags.includes('ALL')) return new Set(FLAGS);
  return new Set(flags.includes('NONE') ? [] : flags);
}

function flagOf(name: string): string {
  const flag = name.toUpperCase();
  if (flag === 'ALL' || flag === 'NONE' || FLAGS.includes(flag)) return flag;
  throw illegalArgument(`Unknown ${NAME} flag [${name}]`);
}

/** `SLOP` is another name of `NEAR`, and has no bit of its own. Negative: all. */
function flagsOfBits(bits: number): ReadonlySet<string> {
  const named = FLAGS.filter((flag) => flag !== 'SLOP');
  return new Set(named.filter((_flag, place) => bits < 0 || (bits & (1 << place)) !== 0));
}

export const simpleQueryStringQuery: QueryParser = {
  name: NAME,
  parse(place, context) {
    const { fields, isAll } = defaultFields(context.settings);
    const options: Options = {
      fields,
      operator: 'or',
      lenient: isAll,
      synonymPhrases: true,
      analyzeWildcard: false,
      flags: new Set(FLAGS),
      fuzzyPrefixLength: 0,
      fuzzyMaxExpansions: 50,
      fuzzyTranspositions: true,
    };
    const common = new CommonOptions(NAME);
    let query: string | undefined;
    let minimum: string | undefined;
    readOptions(place, NAME, {
      ...common.readers,
      query: (value) => void (query = readText(value)),
      fields: (value) => {
        options.fields = readWeightedFields(value, NAME);
        options.lenient = options.fields.some(({ field }) => field === '*');
      },
      default_operator: (value) => void (options.operator = readOperator(value)),
      analyzer: (value) => void (options.analyzer = readText(value)),
      quote_field_suffix: (value) => void (options.quoteFieldSuffix = readText(value)),
      flags: (value) => void (options.flags = readFlags(value)),
      lenient: (value) => void (options.lenient = readBoolean(value)),
      minimum_should_match: (value) => void (minimum = readMinimumShouldMatch(value)),
      fuzzy_prefix_length: (value) => void (options.fuzzyPrefixLength = readCount(value, 0, 'must not be negative')),
      fuzzy_max_expansions: (value) => void (options.fuzzyMaxExpansions = readCount(value, 1, 'must be positive')),
      fuzzy_transpositions: (value) => void (options.fuzzyTranspositions = readBoolean(value)),
      analyze_wildcard: (value) => void (options.analyzeWildcard = readBoolean(value)),
      auto_generate_synonyms_phrase_query: (value) => void (options.synonymPhrases = readBoolean(value)),
    });
    if (query === undefined) throw place.error(`[${NAME}] query text missing`);
    const plan = withMinimum(new Reader(query, options).read(), minimum);
    const { boost } = common;
    return common.named(boost === undefined ? plan : { bool: { must: [plan], boost } });
  },
};

function withMinimum(plan: QueryPlan, minimum: string | undefined): QueryPlan {
  if (minimum === undefined) return plan;
  if ('bool' in plan) return { bool: { ...plan.bool, minimum_should_match: minimum } };
  // The words of a text are optional clauses where it is looked for in one field; several fields are alternatives.
  if ('multi_match' in plan && isOneField(plan.multi_match.fields)) {
    return { multi_match: { ...plan.multi_match, minimum_should_match: minimum } };
  }
  return plan;
}

function isOneField(fields: readonly WeightedField[]): boolean {
  return fields.length === 1 && fields.every(({ field }) => !field.includes('*'));
}

/** The clauses of one group, as they are joined from left to right. */
class Group {
  #clauses: QueryPlan[] = [];
  /** What joins the clauses; undefined while there is one. */
  #former: Operator | undefined;
  #joint: Operator | undefined;
  #isNegated = false;
  #changes = 0;

  join(operator: Operator): void {
    if (this.#clauses.length > 0) this.#joint ??= operator;
  }

  negate(): void {
    this.#isNegated = !this.#isNegated;
  }

  /** Only what stands right behind it is negated. */
  affirm(): void {
    this.#isNegated = false;
  }

  add(plan: QueryPlan, defaultOperator: Operator): void {
    const branch = this.#isNegated ? everythingBut(plan) : plan;
    const joint = this.#joint ?? defaultOperator;
    if (this.#clauses.length === 0) this.#clauses.push(branch);
    else if (this.#former === joint) this.#clauses.push(branch);
    else {
      this.#countChange();
      this.#clauses = [this.plan, branch];
      this.#former = joint;
    }
    this.#joint = undefined;
    this.#isNegated = false;
  }

  get plan(): QueryPlan {
    const [first, ...others] = this.#clauses;
    if (first === undefined) return { match_none: {} };
    if (others.length === 0) return first;
    const joined = this.#clauses;
    return { bool: { ...(this.#former === 'and' ? { must: joined } : { should: joined }), drops_empty: true } };
  }

  /** What another operator joins becomes a clause of it: each change is a level of the query. */
  #countChange(): void {
    if (++this.#changes <= OPERATOR_CHANGES_MAX) return;
    throw illegalArgument(
      `[simple_query_string] may change from one operator to the other at most [${OPERATOR_CHANGES_MAX}] times within a group`,
    );
  }
}

function everythingBut(plan: QueryPlan): QueryPlan {
  return { bool: { should: [{ match_all: {} }], must_not: [plan], drops_empty: true, is_negation: true } };
}

class Reader {
  readonly #text: string;
  readonly #options: Options;
  #at = 0;

  constructor(text: string, options: Options) {
    this.#text = text;
    this.#options = options;
  }

  read(): QueryPlan {
    if (this.#text.trim() === '*') return { match_all: {} };
    return this.#group(0);
  }

  #has(flag: string): boolean {
    return this.#options.flags.has(flag);
  }

  /** Reads to the end, or inside parentheses to the one that closes them. */
  #group(depth: number): QueryPlan {
    const group = new Group();
    while (this.#at < this.#text.length) {
      const character = this.#text.charAt(this.#at);
      if (character === '-' && this.#has('NOT')) {
        this.#at++;
        group.negate();
        continue;
      }
      if (/\s/.test(character)) this.#at++;
      else if (character === ')' && this.#has('PRECEDENCE')) {
        this.#at++;
        if (depth > 0) return group.plan;
      } else if (character === '(' && this.#has('PRECEDENCE') && depth < NESTING_MAX) {
        this.#at++;
        group.add(this.#group(depth + 1), this.#options.operator);
      } else if (!this.#operator(character, group)) {
        const plan = character === '"' && this.#has('PHRASE') ? this.#phrase() : this.#word();
        if (plan !== undefined) group.add(plan, this.#options.operator);
      }
      group.affirm();
    }
    return group.plan;
  }

  #operator(character: string, group: Group): boolean {
    if (character === '+' && this.#has('AND')) group.join('and');
    else if (character === '|' && this.#has('OR')) group.join('or');
    else return false;
    this.#at++;
    return true;
  }

  /** A quoted phrase; a quote that is not closed stands for nothing. */
  #phrase(): QueryPlan | undefined {
    const match = /^"((?:[^"\\]|\\.)*)"/.exec(this.#text.slice(this.#at));
    if (match === null) {
      this.#at++;
      return undefined;
    }
    this.#at += match[0].length;
    const slop = this.#has('NEAR') || this.#has('SLOP') ? this.#number() : undefined;
    const query = unescape(match[1] ?? '');
    if (query === '') return undefined;
    const { quoteFieldSuffix } = this.#options;
    const suffixed = quoteFieldSuffix === undefined ? {} : { field_suffix: quoteFieldSuffix };
    // Of a phrase the best field counts, of words all do.
    return { multi_match: { ...this.#common(query), ...suffixed, tie_breaker: 0, type: 'phrase', slop: slop ?? 0 } };
  }

  #word(): QueryPlan | undefined {
    const start = this.#at;
    while (this.#at < this.#text.length && !this.#endsWord(this.#text.charAt(this.#at))) {
      this.#at += this.#text.charAt(this.#at) === '\\' && this.#has('ESCAPE') ? 2 : 1;
    }
    // A parenthesis too deep to be one ends a word before it begins.
    if (this.#at === start) this.#at++;
    const raw = this.#text.slice(start, this.#at);
    const fuzzy = this.#has('FUZZY') ? /^(.+)~(\d{0,9})$/.exec(raw) : null;
    if (fuzzy !== null) return this.#fuzzy(unescape(fuzzy[1] ?? ''), Number(fuzzy[2] === '' ? 2 : fuzzy[2]));
    if (this.#has('PREFIX') && raw.length > 1 && raw.endsWith('*') && !raw.endsWith('\\*')) {
      return this.#prefix(unescape(raw.slice(0, -1)));
    }
    const { operator } = this.#options;
    return raw === '' ? undefined : { multi_match: { ...this.#common(unescape(raw)), operator } };
  }

  #prefix(text: string): QueryPlan {
    const { fields, lenient, operator, analyzeWildcard } = this.#options;
    if (analyzeWildcard) return { multi_match: { ...this.#common(text), type: 'bool_prefix', operator } };
    // As a wildcard, so that it is normalized like the terms of the field.
    const value = `${text.replaceAll(/[\\*?]/g, '\\$&')}*`;
    return { any_field: { fields, lenient, tie_breaker: 1, query: { wildcard: { field: '', value } } } };
  }

  #endsWord(character: string): boolean {
    if (/\s/.test(character)) return this.#has('WHITESPACE');
    if (character === '"') return this.#has('PHRASE');
    if (character === '|') return this.#has('OR');
    if (character === '+') return this.#has('AND');
    return (character === '(' || character === ')') && this.#has('PRECEDENCE');
  }

  #fuzzy(query: string, edits: number): QueryPlan {
    const { fields, lenient, analyzer, fuzzyPrefixLength, fuzzyMaxExpansions, fuzzyTranspositions } = this.#options;
    const fuzzy = {
      fuzziness: { edits: Math.min(2, edits) },
      prefix_length: fuzzyPrefixLength,
      max_expansions: fuzzyMaxExpansions,
      transpositions: fuzzyTranspositions,
    };
    const named = analyzer === undefined ? {} : { analyzer };
    const plan: QueryPlan = { fuzzy: { field: '', value: query, is_normalized: true, fuzzy, ...named } };
    return { any_field: { fields, lenient, tie_breaker: 1, query: plan } };
  }

  /** `~N` right here. */
  #number(): number | undefined {
    const match = /^~(\d{1,9})/.exec(this.#text.slice(this.#at));
    if (match === null) return undefined;
    this.#at += match[0].length;
    return Number(match[1]);
  }

  #common(query: string) {
    const { fields, lenient, analyzer, synonymPhrases } = this.#options;
    const synonyms = synonymPhrases ? {} : { synonym_phrases: false };
    return { query, fields, lenient, tie_breaker: 1, ...synonyms, ...(analyzer === undefined ? {} : { analyzer }) };
  }
}

function unescape(text: string): string {
  return text.replaceAll(/\\(.)/g, '$1');
}
