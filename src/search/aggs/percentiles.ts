/** `percentiles`, `percentile_ranks` and `median_absolute_deviation`, from a t-digest. */
import { illegalArgument } from '../../base/errors.js';
import type { Place } from '../body/place.js';
import { readBoolean, readNumber } from '../body/read.js';
import { readMembers, SourceOptions, type AggregationParser } from './aggregation-parser.js';

const PERCENTS_DEFAULT: readonly number[] = [1, 5, 25, 50, 75, 95, 99];
const COMPRESSION_DEFAULT = 100;
const DEVIATION_COMPRESSION_DEFAULT = 1_000;

/** Aggregations that answer for each of several keys. */
function keyedDigest(kind: 'percentiles' | 'percentile_ranks', keysName: 'percents' | 'values'): AggregationParser {
  return {
    name: kind,
    takesChildren: false,
    parse(place, { name }) {
      const options = new SourceOptions(kind);
      let keys: readonly number[] | undefined = kind === 'percentiles' ? PERCENTS_DEFAULT : undefined;
      let keyed = true;
      let compression = COMPRESSION_DEFAULT;
      readMembers(place, kind, {
        ...options.readers,
        [keysName]: (value) => void (keys = readKeys(value, keysName, name)),
        keyed: (value) => void (keyed = readBoolean(value)),
        tdigest: (value) => void (compression = readDigest(value, name)),
        hdr: (value) => {
          throw value.error(
            `[hdr] of [${kind}] is not supported: leave it out, or use [tdigest]`,
            'illegal_argument_exception',
          );
        },
      });
      if (keys === undefined) throw illegalArgument(`[${keysName}] must not be null: [${name}]`);
      return { [kind]: { source: options.source(place), keys, keyed, compression } };
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
  });
  if (compression >= 0) return compression;
  throw illegalArgument(
    `[compression] must be greater than or equal to 0. Found [${asDouble(compression)}] in [${aggregation}]`,
  );
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
    });
    if (compression <= 0) {
      throw illegalArgument(`[compression] must be greater than 0. Found [${asDouble(compression)}] in [${name}]`);
    }
    return { median_absolute_deviation: { source: options.source(place), compression } };
  },
};

export const percentileAggregations: readonly AggregationParser[] = [
  keyedDigest('percentiles', 'percents'),
  keyedDigest('percentile_ranks', 'values'),
  medianAbsoluteDeviation,
];
