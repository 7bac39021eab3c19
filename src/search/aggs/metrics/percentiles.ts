/** `percentiles`, `percentile_ranks`, `median_absolute_deviation` and `boxplot`, from a t-digest or an HDR histogram. */
import { illegalArgument } from '../../../base/errors.js';
import type { Place } from '../../body/place.js';
import { readBoolean, readInt, readNumber } from '../../body/read.js';
import { readMembers, SourceOptions, type AggregationParser } from '../aggregation-parser.js';
import { checkChoice } from '../buckets/terms-cut.js';

const PERCENTS_DEFAULT: readonly number[] = [1, 5, 25, 50, 75, 95, 99];
const COMPRESSION_DEFAULT = 100;
const DEVIATION_COMPRESSION_DEFAULT = 1_000;
/** How the reference keeps its digest; the kernels have one way. */
const DIGEST_HINTS: ReadonlySet<string> = new Set(['default', 'high_accuracy']);
const HDR_DIGITS_DEFAULT = 3;
const HDR_DIGITS_MAX = 5;

/** Aggregations that answer for each of several keys. */
function keyedDigest(kind: 'percentiles' | 'percentile_ranks', keysName: 'percents' | 'values'): AggregationParser {
  return {
    name: kind,
    takesChildren: false,
    parse(place, { name }) {
      const options = new SourceOptions(kind);
      let keys: readonly number[] | undefined = kind === 'percentiles' ? PERCENTS_DEFAULT : undefined;
      let keyed = true;
      let compression: number | undefined;
      let digits: number | undefined;
      readMembers(place, kind, {
        ...options.readers,
        [keysName]: (value) => void (keys = readKeys(value, keysName, name)),
        keyed: (value) => void (keyed = readBoolean(value)),
        tdigest: (value) => void (compression = readDigest(value, name)),
        hdr: (value) => void (digits = readDigits(value, name)),
      });
      if (compression !== undefined && digits !== undefined) {
        throw illegalArgument('Only one percentiles method type should be declared.');
      }
      if (keys === undefined) throw illegalArgument(`[${keysName}] must not be null: [${name}]`);
      const hdr = digits === undefined ? {} : { hdr_digits: digits };
      return {
        [kind]: { source: options.source(place), keys, keyed, compression: compression ?? COMPRESSION_DEFAULT, ...hdr },
      };
    },
  };
}

function readKeys(place: Place, keysName: string, aggregation: string): readonly number[] {
  if (!place.isArray) throw place.error(`[${keysName}] must be an array of numbers but was [${place.token}]`);
  const keys = place.items().map(readNumber);
  if (keys.length === 0) throw illegalArgument(`[${keysName}] must not be an empty array: [${aggregation}]`);
  const outside = keysName === 'percents' ? keys.find((key) => key < 0 || key > 100) : undefined;
  if (outside !== undefined) {
    throw illegalArgument(`percent must be in [0,100], got [${asDouble(outside)}]: [${aggregation}]`);
  }
  return [...keys].sort((left, right) => left - right);
}

function readDigest(place: Place, aggregation: string): number {
  let compression = COMPRESSION_DEFAULT;
  readMembers(place, 'tdigest', {
    compression: (value) => void (compression = readNumber(value)),
    execution_hint: (value) => {
      checkChoice(value, DIGEST_HINTS);
    },
  });
  if (compression >= 0) return compression;
  throw illegalArgument(
    `[compression] must be greater than or equal to 0. Found [${asDouble(compression)}] in [${aggregation}]`,
  );
}

function readDigits(place: Place, aggregation: string): number {
  let digits = HDR_DIGITS_DEFAULT;
  readMembers(place, 'hdr', {
    number_of_significant_value_digits: (value) => void (digits = readInt(value)),
  });
  if (digits >= 0 && digits <= HDR_DIGITS_MAX) return digits;
  throw illegalArgument(`[numberOfSignificantValueDigits] must be between 0 and ${HDR_DIGITS_MAX}: [${aggregation}]`);
}

/** As the API prints doubles. */
function asDouble(value: number): string {
  return Number.isInteger(value) ? value.toFixed(1) : String(value);
}

const medianAbsoluteDeviation: AggregationParser = {
  name: 'median_absolute_deviation',
  takesChildren: false,
  parse(place, { name }) {
    const options = new SourceOptions('median_absolute_deviation');
    let compression = DEVIATION_COMPRESSION_DEFAULT;
    readMembers(place, 'median_absolute_deviation', {
      ...options.readers,
      compression: (value) => void (compression = readNumber(value)),
      execution_hint: (value) => {
        checkChoice(value, DIGEST_HINTS);
      },
    });
    if (compression <= 0) {
      throw illegalArgument(`[compression] must be greater than 0. Found [${asDouble(compression)}] in [${name}]`);
    }
    return { median_absolute_deviation: { source: options.source(place), compression } };
  },
};

const boxplot: AggregationParser = {
  name: 'boxplot',
  takesChildren: false,
  parse(place, { name }) {
    const options = new SourceOptions('boxplot');
    let compression = COMPRESSION_DEFAULT;
    readMembers(place, 'boxplot', {
      ...options.readers,
      compression: (value) => void (compression = readNumber(value)),
      execution_hint: (value) => {
        checkChoice(value, DIGEST_HINTS);
      },
    });
    if (compression < 0) {
      throw illegalArgument(
        `[compression] must be greater than or equal to 0. Found [${asDouble(compression)}] in [${name}]`,
      );
    }
    return { boxplot: { source: options.source(place), compression } };
  },
};

export const percentileAggregations: readonly AggregationParser[] = [
  keyedDigest('percentiles', 'percents'),
  keyedDigest('percentile_ranks', 'values'),
  medianAbsoluteDeviation,
  boxplot,
];
