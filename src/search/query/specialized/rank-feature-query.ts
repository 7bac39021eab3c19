/** `rank_feature`: the score is a field's value, curbed. */
import { illegalArgument } from '../../../base/errors.js';
import type { Place } from '../../body/place.js';
import { readNumber, readText } from '../../body/read.js';
import type { RankFeaturePlan } from '../../plan/score-plans.js';
import { CommonOptions, type OptionReaders, type QueryParser } from '../query-parser.js';

const NAME = 'rank_feature';

type RankFunction = NonNullable<RankFeaturePlan['function']>;

/** Members of a function, all of which are positive numbers. */
function readNumbers(place: Place, names: readonly string[]): Readonly<Record<string, number>> {
  const numbers: Record<string, number> = {};
  for (const [name, value] of place.members()) {
    if (!names.includes(name)) throw value.errorWithPlace(`[${place.step}] unknown field [${name}]`);
    numbers[name] = readNumber(value);
    if (!(numbers[name] > 0)) throw illegalArgument(`[${name}] must be positive, got [${numbers[name]}]`);
  }
  return numbers;
}

function required(numbers: Readonly<Record<string, number>>, name: string): number {
  const value = numbers[name];
  if (value === undefined) throw illegalArgument(`Required [${name}]`);
  return value;
}

const FUNCTIONS: Readonly<Record<string, (place: Place) => RankFunction>> = {
  saturation: (place) => {
    const { pivot } = readNumbers(place, ['pivot']);
    return { saturation: pivot === undefined ? {} : { pivot } };
  },
  log: (place) => {
    const factor = required(readNumbers(place, ['scaling_factor']), 'scaling_factor');
    if (factor < 1) throw illegalArgument(`[scaling_factor] must be >= 1, got [${factor}]`);
    return { log: { scaling_factor: factor } };
  },
  sigmoid: (place) => {
    const numbers = readNumbers(place, ['pivot', 'exponent']);
    return { sigmoid: { pivot: required(numbers, 'pivot'), exponent: required(numbers, 'exponent') } };
  },
  linear: (place) => {
    readNumbers(place, []);
    return { linear: {} };
  },
};

export const rankFeatureQuery: QueryParser = {
  name: NAME,
  parse(place) {
    const common = new CommonOptions(NAME);
    let field: string | undefined;
    let found: RankFunction | undefined;
    const readers: OptionReaders = { ...common.readers, field: (value) => void (field = readText(value)) };
    for (const [name, value] of place.members()) {
      const read = Object.hasOwn(readers, name) ? readers[name] : undefined;
      const readFunction = Object.hasOwn(FUNCTIONS, name) ? FUNCTIONS[name] : undefined;
      if (read !== undefined) read(value);
      else if (readFunction === undefined) throw value.errorWithPlace(`[${NAME}] unknown field [${name}]`);
      else if (found !== undefined) {
        throw illegalArgument('Can only specify one of [log], [saturation], [sigmoid] and [linear]');
      } else found = readFunction(value);
    }
    if (field === undefined) throw illegalArgument('Required [field]');
    return common.named({
      rank_feature: { field, ...(found === undefined ? {} : { function: found }), ...common.boosted },
    });
  },
};
