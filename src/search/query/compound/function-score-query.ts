/** `function_score`: scores computed from other things than the text. */
import { illegalArgument } from '../../../base/errors.js';
import type { Place } from '../../body/place.js';
import { readNumber, readText } from '../../body/read.js';
import type { QueryPlan } from '../../plan/query-plan.js';
import type { BoostMode, FunctionScorePlan, ScoreFunctionPlan, ScoreMode } from '../../plan/score-plans.js';
import { CommonOptions, type Draft, type QueryContext, type QueryParser } from '../query-parser.js';
import { SCORE_FUNCTIONS, unknownFunction } from './score-functions.js';

const NAME = 'function_score';

const SCORE_MODES: readonly ScoreMode[] = ['multiply', 'sum', 'avg', 'first', 'max', 'min'];
const BOOST_MODES: readonly BoostMode[] = ['multiply', 'replace', 'sum', 'avg', 'max', 'min'];

function readMode<Mode extends string>(place: Place, modes: readonly Mode[], className: string): Mode {
  const text = readText(place);
  const mode = modes.find((known) => known === text.toLowerCase());
  if (mode !== undefined) return mode;
  throw illegalArgument(
    `No enum constant org.opensearch.common.lucene.search.function.${className}.${text.toUpperCase()}`,
  );
}

function readWeight(place: Place): number {
  const weight = readNumber(place);
  if (weight >= 0) return weight;
  throw illegalArgument(`[weight] cannot be negative for a filtering function`);
}

/** One function, as it stands alone or as an entry of `functions`. */
class FunctionDraft {
  readonly #draft: Draft<ScoreFunctionPlan> = {};
  name: string | undefined;

  get plan(): ScoreFunctionPlan {
    return this.#draft;
  }

  setFunction(name: string, value: Place): void {
    const parse = SCORE_FUNCTIONS.get(name);
    if (parse === undefined) throw unknownFunction(name, value);
    this.name = name;
    const { weight, ...kind } = parse(value);
    if (weight !== undefined) this.#draft.weight = weight;
    this.#draft.kind = kind.kind;
  }

  setWeight(value: Place): void {
    this.name ??= 'weight';
    this.#draft.weight = readWeight(value);
  }

  setFilter(filter: QueryPlan): void {
    this.#draft.filter = filter;
  }

  get hasFunction(): boolean {
    return this.#draft.kind !== undefined;
  }
}

function readFunctions(place: Place, context: QueryContext): readonly ScoreFunctionPlan[] {
  return place.items().map((item) => {
    if (!item.isObject) {
      throw item.error(
        `failed to parse [${NAME}]. malformed query, expected a [START_OBJECT] while parsing functions but got a [${item.token}] instead`,
      );
    }
    const draft = new FunctionDraft();
    for (const [name, value] of item.members()) {
      if (name === 'filter') draft.setFilter(context.parseQuery(value));
      else if (name === 'weight') draft.setWeight(value);
      else if (!value.isObject) throw value.error(`failed to parse [${NAME}] query. field [${name}] is not supported`);
      else if (draft.hasFunction) {
        throw value.error(
          `failed to parse function_score functions. already found [${String(draft.name)}], now encountering [${name}].`,
        );
      } else draft.setFunction(name, value);
    }
    if (draft.name === undefined) throw item.error('an entry in functions list is missing a function.');
    return draft.plan;
  });
}

/** The single function of the short form, and the list of the long one: a query has one of them. */
class Functions {
  #single: FunctionDraft | undefined;
  #list: readonly ScoreFunctionPlan[] | undefined;

  get plan(): readonly ScoreFunctionPlan[] {
    return this.#list ?? (this.#single === undefined ? [] : [this.#single.plan]);
  }

  setList(place: Place, context: QueryContext): void {
    if (!place.isArray) throw place.error(`failed to parse [${NAME}] query. field [functions] is not supported`);
    if (this.#single?.name !== undefined) {
      throw misplaced(place, `already found [${this.#single.name}], now encountering [functions].`);
    }
    this.#list = readFunctions(place, context);
  }

  setSingle(name: string, value: Place): void {
    if (this.#list !== undefined) {
      throw misplaced(value, `already found [functions] array, now encountering [${name}].`);
    }
    if (this.#single?.hasFunction === true) {
      throw value.error(
        `failed to parse [${NAME}] query. already found function [${String(this.#single.name)}], now encountering ` +
          `[${name}]. use [functions] array if you want to define several functions.`,
      );
    }
    this.#single ??= new FunctionDraft();
    if (name === 'weight') this.#single.setWeight(value);
    else this.#single.setFunction(name, value);
  }
}

function misplaced(place: Place, why: string): Error {
  return place.error(
    `failed to parse [${NAME}] query. you can either define [functions] array or a single function, not both. ${why}`,
  );
}

export const functionScoreQuery: QueryParser = {
  name: NAME,
  parse(place, context) {
    const draft: Draft<FunctionScorePlan> = {};
    const common = new CommonOptions(NAME);
    const functions = new Functions();
    const readers: Readonly<Record<string, (value: Place) => void>> = {
      ...common.readers,
      score_mode: (value) => void (draft.score_mode = readMode(value, SCORE_MODES, 'FunctionScoreQuery.ScoreMode')),
      boost_mode: (value) => void (draft.boost_mode = readMode(value, BOOST_MODES, 'CombineFunction')),
      max_boost: (value) => void (draft.max_boost = readNumber(value)),
      min_score: (value) => void (draft.min_score = readNumber(value)),
    };
    for (const [name, value] of place.members()) {
      const read = Object.hasOwn(readers, name) ? readers[name] : undefined;
      if (name === 'query') draft.query = context.parseQuery(value);
      else if (name === 'functions') functions.setList(value, context);
      else if (value.isArray) throw value.error(`failed to parse [${NAME}] query. array [${name}] is not supported`);
      else if (read !== undefined) read(value);
      else if (name === 'weight' || value.isObject) functions.setSingle(name, value);
      else throw value.error(`failed to parse [${NAME}] query. field [${name}] is not supported`);
    }
    // Where no function is named there is nothing to combine the query's score with.
    if (functions.plan.length === 0) delete draft.boost_mode;
    const plan = { ...draft, query: draft.query ?? { match_all: {} }, functions: functions.plan, ...common.boosted };
    return common.named({ function_score: plan });
  },
};
