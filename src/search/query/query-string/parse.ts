/**
 * Lucene's query syntax to a plan, by the rules of its classic parser: `AND`, `OR` and `NOT` say which clauses are required
 * (there is no precedence between them), neighbouring words without an operator are analysed together.
 */
import type {
  FuzzinessPlan,
  MultiMatchType,
  Operator,
  QueryPlan,
  RewritePlan,
  WeightedField,
} from '../../plan/query-plan.js';
import { cannotParse, tokenize, type QueryToken, type RangeEnd } from './lexer.js';

/** What the query says besides its text. */
export interface QueryStringOptions {
  readonly fields: readonly WeightedField[];
  readonly defaultOperator: Operator;
  readonly analyzer?: string;
  readonly quoteAnalyzer?: string;
  readonly quoteFieldSuffix?: string;
  readonly lenient: boolean;
  readonly phraseSlop: number;
  /** Synonyms of several words match as phrases. */
  readonly synonymPhrases: boolean;
  /** Words that the analyzer takes out leave their places in phrases. */
  readonly positionIncrements: boolean;
  readonly minimumShouldMatch?: string;
  readonly type: MultiMatchType;
  readonly tieBreaker?: number;
  readonly allowLeadingWildcard: boolean;
  /** The beginning of a word is analysed, as `match_bool_prefix` does; elsewhere it is normalized. */
  readonly analyzeWildcard: boolean;
  readonly timeZone?: string;
  readonly rewrite?: RewritePlan;
  /** Of `term~`. */
  readonly fuzzyRewrite?: RewritePlan;
  /** Edits of `term~`, which names no number. */
  readonly fuzziness: FuzzinessPlan;
  readonly fuzzyPrefixLength: number;
  readonly fuzzyMaxExpansions: number;
  readonly fuzzyTranspositions: boolean;
  /** Called with each regular expression, to check its length. */
  readonly checkRegex: (pattern: string) => void;
}

type Occur = 'must' | 'should' | 'must_not';

interface Clause {
  occur: Occur;
  readonly plan: QueryPlan;
}

export function parseQueryString(query: string, options: QueryStringOptions): QueryPlan {
  const parser = new Parser(query, options);
  return parser.parse();
}

/** A word whose only operator is the asterisk at its end. */
const IS_PREFIX = /^(?:[^\\*?]|\\.)+\*$/;

/** Groups inside groups; the classic parser's stack bounds them, ours does. */
const NESTING_MAX = 100;

class Parser {
  readonly #query: string;
  readonly #options: QueryStringOptions;
  readonly #tokens: readonly QueryToken[];
  #at = 0;
  #depth = 0;

  constructor(query: string, options: QueryStringOptions) {
    this.#query = query;
    this.#options = options;
    this.#tokens = tokenize(query);
  }

  parse(): QueryPlan {
    const plan = this.#clauses(this.#options.fields, true);
    if (this.#peek().kind !== 'end') throw cannotParse(this.#query, 'a parenthesis is closed that was not opened');
    return plan;
  }

  #peek(ahead = 0): QueryToken {
    return this.#tokens[this.#at + ahead] ?? { kind: 'end' };
  }

  #take(): QueryToken {
    const token = this.#peek();
    this.#at++;
    return token;
  }

  #clauses(fields: readonly WeightedField[], isTop: boolean): QueryPlan {
    const clauses: Clause[] = [];
    for (;;) {
      const { kind } = this.#peek();
      if (kind === 'end' || kind === 'close') break;
      const conjunction = kind === 'and' || kind === 'or' ? kind : undefined;
      if (conjunction !== undefined) {
        if (clauses.length === 0) throw cannotParse(this.#query, `unexpected operator [${conjunction.toUpperCase()}]`);
        this.#take();
      }
      const modifier = this.#modifier();
      const plan = this.#clause(fields, conjunction === undefined && modifier === undefined);
      addClause(clauses, conjunction, modifier, plan, this.#options.defaultOperator);
    }
    return this.#combine(clauses, isTop);
  }

  #modifier(): 'plus' | 'minus' | undefined {
    const { kind } = this.#peek();
    if (kind === 'plus') {
      this.#take();
      return 'plus';
    }
    if (kind !== 'minus' && kind !== 'not') return undefined;
    this.#take();
    return 'minus';
  }

  #combine(clauses: readonly Clause[], isTop: boolean): QueryPlan {
    const [only] = clauses;
    if (only === undefined) return { match_none: {} };
    if (clauses.length === 1 && only.occur !== 'must_not') return only.plan;
    const of = (occur: Occur) => clauses.filter((clause) => clause.occur === occur).map((clause) => clause.plan);
    const minimum = isTop ? this.#options.minimumShouldMatch : undefined;
    return {
      bool: {
        must: of('must'),
        should: of('should'),
        must_not: of('must_not'),
        drops_empty: true,
        ...(minimum === undefined ? {} : { minimum_should_match: minimum }),
      },
    };
  }

  /** `isBare`: nothing stands before it that would keep the words behind from being analysed with it. */
  #clause(outer: readonly WeightedField[], isBare: boolean): QueryPlan {
    const field = this.#fieldPrefix();
    const fields = field === undefined ? outer : [{ field }];
    const token = this.#take();
    switch (token.kind) {
      case 'open':
        return this.#group(fields);
      case 'quoted':
        return this.#phrase(fields, token.text);
      case 'regex': {
        this.#options.checkRegex(token.text);
        return this.#boosted(
          this.#onFields(fields, { regexp: { field: '', value: token.text, is_normalized: true, ...this.#rewrite() } }),
        );
      }
      case 'range':
        return this.#boosted(this.#range(fields, token.from, token.to));
      case 'term':
        return this.#term(field, fields, token, isBare && field === undefined);
      default:
        throw cannotParse(this.#query, `unexpected [${token.kind}]`);
    }
  }

  #fieldPrefix(): string | undefined {
    const first = this.#peek();
    if (first.kind !== 'term' || this.#peek(1).kind !== 'colon') return undefined;
    if (first.hasOperators && first.raw !== '*') {
      throw cannotParse(this.#query, `operators in the name of the field [${first.raw}] have to be escaped`);
    }
    this.#at += 2;
    return first.text;
  }

  #group(fields: readonly WeightedField[]): QueryPlan {
    this.#depth++;
    if (this.#depth > NESTING_MAX) throw cannotParse(this.#query, `groups are nested more than ${NESTING_MAX} deep`);
    const plan = this.#clauses(fields, false);
    if (this.#take().kind !== 'close') throw cannotParse(this.#query, 'a parenthesis is not closed');
    this.#depth--;
    return this.#boosted(plan);
  }

  #phrase(fields: readonly WeightedField[], text: string): QueryPlan {
    const slop = this.#suffix('tilde') ?? this.#options.phraseSlop;
    const analyzer = this.#options.quoteAnalyzer ?? this.#options.analyzer;
    const { quoteFieldSuffix, tieBreaker } = this.#options;
    return this.#boosted({
      multi_match: {
        ...this.#common(fields, text),
        ...(analyzer === undefined ? {} : { analyzer }),
        ...(quoteFieldSuffix === undefined ? {} : { field_suffix: quoteFieldSuffix }),
        ...(tieBreaker === undefined ? {} : { tie_breaker: tieBreaker }),
        type: 'phrase',
        slop,
      },
    });
  }

  #range(fields: readonly WeightedField[], from: RangeEnd, to: RangeEnd): QueryPlan {
    const { timeZone } = this.#options;
    const end = ({ text, inclusive }: RangeEnd) => (text === undefined ? undefined : { value: text, inclusive });
    const [low, high] = [end(from), end(to)];
    const range = {
      field: '',
      ...(low === undefined ? {} : { from: low }),
      ...(high === undefined ? {} : { to: high }),
      ...(timeZone === undefined ? {} : { time_zone: timeZone }),
    };
    return this.#onFields(fields, { range });
  }

  #term(
    field: string | undefined,
    fields: readonly WeightedField[],
    token: Extract<QueryToken, { kind: 'term' }>,
    joinsWords: boolean,
  ): QueryPlan {
    if (field === '_exists_') return this.#boosted({ exists: { field: token.text } });
    if (token.raw === '*') return this.#boosted(everything(field, fields));
    if (token.hasOperators) {
      const isAnalyzed = this.#options.analyzeWildcard && IS_PREFIX.test(token.raw);
      return this.#boosted(
        isAnalyzed ? this.#analyzedPrefix(fields, token.text.slice(0, -1)) : this.#wildcard(fields, token.raw),
      );
    }
    const comparison = /^(>=|<=|>|<)(.+)$/.exec(token.text);
    if (field !== undefined && comparison !== null) return this.#boosted(this.#comparison(fields, comparison));
    if (this.#peek().kind === 'tilde') return this.#fuzzy(fields, token.text);
    const words = joinsWords ? [token.text, ...this.#followingWords()] : [token.text];
    const { defaultOperator, type, tieBreaker, analyzer } = this.#options;
    return this.#boosted({
      multi_match: {
        ...this.#common(fields, words.join(' ')),
        type,
        operator: defaultOperator,
        ...(analyzer === undefined ? {} : { analyzer }),
        ...(tieBreaker === undefined ? {} : { tie_breaker: tieBreaker }),
      },
    });
  }

  /** Words that follow with nothing between, and with nothing behind that makes them more than words. */
  #followingWords(): readonly string[] {
    const words: string[] = [];
    if (['and', 'or'].includes(this.#peek().kind)) return words;
    for (;;) {
      const token = this.#peek();
      if (token.kind !== 'term' || token.hasOperators) return words;
      if (['colon', 'boost', 'tilde'].includes(this.#peek(1).kind)) return words;
      // The word before an operator belongs to the operator.
      if (['and', 'or'].includes(this.#peek(1).kind)) return words;
      words.push(token.text);
      this.#take();
    }
  }

  #comparison(fields: readonly WeightedField[], match: RegExpExecArray): QueryPlan {
    const [, sign = '', text = ''] = match;
    const end: RangeEnd = { text, inclusive: sign.length === 2 };
    const open: RangeEnd = { text: undefined, inclusive: true };
    return sign.startsWith('>') ? this.#range(fields, end, open) : this.#range(fields, open, end);
  }

  #wildcard(fields: readonly WeightedField[], raw: string): QueryPlan {
    if (!this.#options.allowLeadingWildcard && /^[*?]/.test(raw)) {
      throw cannotParse(this.#query, "'*' or '?' not allowed as first character in WildcardQuery");
    }
    return this.#onFields(fields, { wildcard: { field: '', value: raw, ...this.#rewrite() } });
  }

  #analyzedPrefix(fields: readonly WeightedField[], text: string): QueryPlan {
    const { analyzer, defaultOperator } = this.#options;
    return {
      multi_match: {
        ...this.#common(fields, text),
        type: 'bool_prefix',
        operator: defaultOperator,
        tie_breaker: this.#tieBreaker(),
        ...(analyzer === undefined ? {} : { analyzer }),
      },
    };
  }

  #fuzzy(fields: readonly WeightedField[], text: string): QueryPlan {
    const { fuzziness, fuzzyPrefixLength, fuzzyMaxExpansions, fuzzyTranspositions, fuzzyRewrite } = this.#options;
    const edits = this.#suffix('tilde');
    const fuzzy = {
      fuzziness: edits === undefined ? fuzziness : { edits: Math.min(2, Math.trunc(edits)) },
      prefix_length: fuzzyPrefixLength,
      max_expansions: fuzzyMaxExpansions,
      transpositions: fuzzyTranspositions,
      ...(fuzzyRewrite === undefined ? {} : { rewrite: fuzzyRewrite }),
    };
    const { analyzer } = this.#options;
    const named = analyzer === undefined ? {} : { analyzer };
    return this.#boosted(
      this.#onFields(fields, { fuzzy: { field: '', value: text, is_normalized: true, fuzzy, ...named } }),
    );
  }

  /** The number of a `^` or `~`, where one is next and has one. */
  #suffix(kind: 'boost' | 'tilde'): number | undefined {
    const token = this.#peek();
    if (token.kind !== kind) return undefined;
    this.#take();
    return token.value;
  }

  #boosted(plan: QueryPlan): QueryPlan {
    const boost = this.#suffix('boost');
    return boost === undefined ? plan : { bool: { must: [plan], drops_empty: true, boost } };
  }

  #common(fields: readonly WeightedField[], query: string) {
    const { lenient, synonymPhrases, positionIncrements } = this.#options;
    const synonyms = synonymPhrases ? {} : { synonym_phrases: false };
    return { query, fields, lenient, ...synonyms, ...(positionIncrements ? {} : { ignores_gaps: true }) };
  }

  #rewrite(): { readonly rewrite?: RewritePlan } {
    const { rewrite } = this.#options;
    return rewrite === undefined ? {} : { rewrite };
  }

  #onFields(fields: readonly WeightedField[], query: QueryPlan): QueryPlan {
    const { lenient } = this.#options;
    return { any_field: { fields, query, lenient, tie_breaker: this.#tieBreaker() } };
  }

  #tieBreaker(): number {
    const { type, tieBreaker } = this.#options;
    return tieBreaker ?? (type === 'most_fields' || type === 'bool_prefix' ? 1 : 0);
  }
}

/** `*`: everything, or every document that has the field. */
function everything(field: string | undefined, fields: readonly WeightedField[]): QueryPlan {
  if (field !== undefined) return field === '*' ? { match_all: {} } : { exists: { field } };
  const [only] = fields;
  if (fields.length === 1 && only !== undefined && only.field !== '*') return { exists: { field: only.field } };
  return { match_all: {} };
}

/** The classic parser's rule for what an operator makes of the clauses on both sides of it. */
function addClause(
  clauses: Clause[],
  conjunction: 'and' | 'or' | undefined,
  modifier: 'plus' | 'minus' | undefined,
  plan: QueryPlan,
  defaultOperator: Operator,
): void {
  const previous = clauses.at(-1);
  if (previous !== undefined && previous.occur !== 'must_not') {
    if (conjunction === 'and') previous.occur = 'must';
    if (conjunction === 'or' && defaultOperator === 'and') previous.occur = 'should';
  }
  const isRequired =
    defaultOperator === 'or'
      ? modifier === 'plus' || conjunction === 'and'
      : modifier === 'plus' || conjunction !== 'or';
  clauses.push({ occur: modifier === 'minus' ? 'must_not' : isRequired ? 'must' : 'should', plan });
}
