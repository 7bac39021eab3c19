/** The script of `moving_fn`, where it calls one of the API's functions for windows. */
import { illegalArgument } from '../../../base/errors.js';
import { isJsonObject, type JsonObject } from '../../../base/json-value.js';
import type { Place } from '../../body/place.js';

const CALL = /^\s*(?:return\s+)?MovingFunctions\.(\w+)\s*\(\s*values\s*(?:,(.*))?\)\s*;?\s*$/s;
const AVERAGE_OF_VALUES = /^\s*MovingFunctions\.unweightedAvg\s*\(\s*values\s*\)\s*$/;

/** Functions without arguments besides the window. */
const PLAIN: Readonly<Record<string, string>> = {
  max: 'max',
  min: 'min',
  sum: 'sum',
  unweightedAvg: 'unweighted_avg',
  linearWeightedAvg: 'linear_weighted_avg',
};

/** The plan of the function. Throws where the script is anything but a call of one. */
export function readMovingFunction(place: Place): object | string {
  const script = isJsonObject(place.value) ? place.value : { source: place.value };
  const source = script['source'];
  const match = typeof source === 'string' ? CALL.exec(source) : null;
  const [, name = '', rest] = match ?? [];
  const parameters = isJsonObject(script['params']) ? script['params'] : {};
  const plain = Object.hasOwn(PLAIN, name) ? PLAIN[name] : undefined;
  if (plain !== undefined && rest === undefined) return plain;
  if (name === 'stdDev' && rest !== undefined && AVERAGE_OF_VALUES.test(rest)) return 'std_dev';
  const found =
    rest === undefined
      ? undefined
      : smoothing(
          name,
          rest.split(',').map((argument) => value(argument, parameters)),
        );
  if (found !== undefined) return found;
  throw place.error(
    '[moving_fn] takes scripts that call one function of [MovingFunctions] on [values]; others are not supported yet',
    'illegal_argument_exception',
  );
}

function smoothing(name: string, values: readonly (number | boolean | undefined)[]): object | undefined {
  const numbers = values.filter((value): value is number => typeof value === 'number');
  const [alpha, beta, gamma, period] = numbers;
  if (name === 'ewma' && values.length === 1 && alpha !== undefined) return { ewma: { alpha } };
  if (name === 'holt' && values.length === 2 && beta !== undefined) return { holt: { alpha, beta } };
  const multiplicative = values[4];
  if (name !== 'holtWinters' || values.length !== 5 || period === undefined || typeof multiplicative !== 'boolean') {
    return undefined;
  }
  if (!Number.isInteger(period) || period < 1) throw illegalArgument('[period] must be a positive integer');
  return { holt_winters: { alpha, beta, gamma, period, multiplicative } };
}

/** A literal, or a parameter of the script. */
function value(argument: string, parameters: JsonObject): number | boolean | undefined {
  const text = argument.trim();
  const parameter = /^params\.(\w+)$/.exec(text)?.[1];
  const given = parameter === undefined ? undefined : parameters[parameter];
  if (typeof given === 'number' || typeof given === 'boolean') return given;
  if (text === 'true' || text === 'false') return text === 'true';
  return /^-?\d+(\.\d+)?[dDfF]?$/.test(text) ? Number.parseFloat(text) : undefined;
}
