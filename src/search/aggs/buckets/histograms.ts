/** `histogram` and `date_histogram`. */
import { illegalArgument } from '../../../base/errors.js';
import type { Place } from '../../body/place.js';
import { readBoolean, readLong, readNumber, readScalar } from '../../body/read.js';
import type { OptionReaders } from '../../query/query-parser.js';
import { atLeast, readMembers, SourceOptions, type AggregationParser } from '../aggregation-parser.js';
import type { BoundsPlan, OrderPlan } from '../aggregation-plan.js';
import { DateIntervalOptions } from './date-interval.js';
import { readOrder } from './order.js';

/** What both histograms take besides their interval. */
class HistogramOptions {
  readonly source: SourceOptions;
  minDocCount = 0;
  keyed = false;
  order: readonly OrderPlan[] = [{ by: 'key', ascending: true }];
  readonly bounds: { extended_bounds?: BoundsPlan; hard_bounds?: BoundsPlan } = {};
  readonly #name: string;

  constructor(kind: string, name: string) {
    this.source = new SourceOptions(kind);
    this.#name = name;
  }

  get readers(): OptionReaders {
    return {
      ...this.source.readers,
      min_doc_count: (value) => void (this.minDocCount = atLeast(readLong(value), 0, 'min_doc_count', this.#name)),
      keyed: (value) => void (this.keyed = readBoolean(value)),
      order: (value) => void (this.order = readOrder(value)),
      extended_bounds: (value) => void (this.bounds.extended_bounds = readBounds(value)),
      hard_bounds: (value) => void (this.bounds.hard_bounds = readBounds(value)),
    };
  }

  plan(place: Place): object {
    const { extended_bounds: extended, hard_bounds: hard } = this.bounds;
    if (extended !== undefined && hard !== undefined) checkInside(extended, hard);
    return {
      source: this.source.source(place),
      min_doc_count: this.minDocCount,
      keyed: this.keyed,
      order: this.order,
      ...this.bounds,
    };
  }
}

function readBounds(place: Place): BoundsPlan {
  const bounds: { min?: BoundsPlan['min'] & {}; max?: BoundsPlan['max'] & {} } = {};
  const end = (which: 'min' | 'max') => (value: Place) => {
    const scalar = readScalar(value);
    if (scalar !== null) bounds[which] = scalar;
  };
  readMembers(place, String(place.step), { min: end('min'), max: end('max') });
  const { min, max } = bounds;
  if (typeof min === 'number' && typeof max === 'number' && min > max) {
    throw illegalArgument(`[${place.step}.min][${min}] cannot be greater than [${place.step}.max][${max}]`);
  }
  return bounds;
}

function checkInside(extended: BoundsPlan, hard: BoundsPlan): void {
  const outside = (a: unknown, b: unknown): boolean => typeof a === 'number' && typeof b === 'number' && a < b;
  if (outside(extended.min, hard.min) || outside(hard.max, extended.max)) {
    throw illegalArgument('Extended bounds have to be inside hard bounds');
  }
}

const histogram: AggregationParser = {
  name: 'histogram',
  takesChildren: true,
  parse(place, { name }) {
    const options = new HistogramOptions('histogram', name);
    let interval = 0;
    let offset = 0;
    readMembers(place, 'histogram', {
      ...options.readers,
      interval: (value) => void (interval = readNumber(value)),
      offset: (value) => void (offset = readNumber(value)),
    });
    if (interval <= 0) throw illegalArgument('[interval] must be >0 for histogram aggregation [' + name + ']');
    return { histogram: { ...options.plan(place), interval, offset: offset % interval } };
  },
};

const dateHistogram: AggregationParser = {
  name: 'date_histogram',
  takesChildren: true,
  parse(place, { name }) {
    const options = new HistogramOptions('date_histogram', name);
    const dates = new DateIntervalOptions();
    readMembers(place, 'date_histogram', { ...options.readers, ...dates.readers });
    return { date_histogram: { ...options.plan(place), ...dates.plan() } };
  },
};

export const histogramAggregations: readonly AggregationParser[] = [histogram, dateHistogram];
