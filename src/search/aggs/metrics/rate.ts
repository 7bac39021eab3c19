/** `rate`: documents, or their values, for each unit of time of a bucket of dates. */
import { illegalArgument } from '../../../base/errors.js';
import { readText } from '../../body/read.js';
import { readMembers, SourceOptions, type AggregationParser } from '../aggregation-parser.js';

const UNITS: ReadonlySet<string> = new Set(['second', 'minute', 'hour', 'day', 'week', 'month', 'quarter', 'year']);
const SHORT_UNITS: Readonly<Record<string, string>> = {
  ...{ '1s': 'second', '1m': 'minute', '1h': 'hour', '1d': 'day', '1w': 'week', '1M': 'month', '1q': 'quarter' },
  '1y': 'year',
};

export const rateAggregation: AggregationParser = {
  name: 'rate',
  takesChildren: false,
  parse(place, { name, ancestors }) {
    const options = new SourceOptions('rate');
    let unit: string | undefined;
    let mode: string | undefined;
    const hasField = place.members().some(([member]) => member === 'field');
    readMembers(place, 'rate', {
      ...options.readers,
      unit: (value) => void (unit = readUnit(readText(value))),
      mode: (value) => {
        mode = readText(value);
        if (mode !== 'sum' && mode !== 'value_count') throw illegalArgument(`Unsupported rate mode [${mode}]`);
      },
    });
    if (mode !== undefined && !hasField) {
      throw illegalArgument('The mode parameter is only supported with field or script');
    }
    if (!ancestors.includes('date_histogram')) {
      throw illegalArgument(
        `The rate aggregation [${name}] can only be used inside a date histogram or composite aggregation`,
      );
    }
    return {
      rate: {
        ...(hasField ? { source: options.source(place) } : {}),
        ...(unit === undefined ? {} : { unit }),
        counts_values: mode === 'value_count',
      },
    };
  },
};

function readUnit(text: string): string {
  const unit = SHORT_UNITS[text] ?? text;
  if (UNITS.has(unit)) return unit;
  throw illegalArgument(`Unsupported unit ${text}`);
}
