/** `matrix_stats`: moments of several fields together. */
import { illegalArgument } from '../../../base/errors.js';
import type { JsonScalar } from '../../../base/json-value.js';
import { readScalar, readStrings, readText } from '../../body/read.js';
import { readMembers, type AggregationParser } from '../aggregation-parser.js';

/** Each document, and each bucket, costs the square of them. */
const FIELDS_MAX = 500;
const MODES: ReadonlySet<string> = new Set(['avg', 'min', 'max', 'sum', 'median']);

export const matrixStatsAggregation: AggregationParser = {
  name: 'matrix_stats',
  takesChildren: false,
  parse(place, { name }) {
    let fields: readonly string[] = [];
    let missing: Readonly<Record<string, JsonScalar>> = {};
    let mode = 'avg';
    readMembers(place, 'matrix_stats', {
      fields: (value) => void (fields = readStrings(value)),
      missing: (value) => {
        if (!value.isObject)
          throw value.error('[missing] of [matrix_stats] must be an object of a value for each field');
        missing = Object.fromEntries(value.members().map(([field, substitute]) => [field, readScalar(substitute)]));
      },
      mode: (value) => {
        mode = readText(value);
        if (!MODES.has(mode)) throw illegalArgument(`Unknown SortMode [${mode}]`);
      },
    });
    if (fields.length === 0) throw illegalArgument(`[fields] must not be null or empty: [${name}]`);
    if (fields.length > FIELDS_MAX)
      throw illegalArgument(
        `[fields] of [${name}] names [${fields.length}] fields, but may name [${FIELDS_MAX}] at most`,
      );
    const sources = fields.map((field) => {
      const substitute = missing[field];
      return { field, ...(substitute === undefined ? {} : { missing: substitute }) };
    });
    return { matrix_stats: { sources, mode } };
  },
};
