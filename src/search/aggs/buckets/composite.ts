/** `composite`: pages of buckets by the keys of several fields. */
import { illegalArgument, QuarryError } from '../../../base/errors.js';
import type { JsonScalar } from '../../../base/json-value.js';
import type { Place } from '../../body/place.js';
import { readBoolean, readInt, readNumber, readScalar, readText } from '../../body/read.js';
import type { OptionReaders } from '../../query/query-parser.js';
import { readMembers, SourceOptions, type AggregationParser } from '../aggregation-parser.js';
import type { SourcePlan } from '../aggregation-plan.js';
import { DateIntervalOptions } from './date-interval.js';
import { CellOptions } from './geo.js';

const SIZE_DEFAULT = 10;
/** Kinds that leave documents in one bucket. */
const PARENTS: ReadonlySet<string> = new Set(['filter', 'nested', 'reverse_nested']);
const SOURCE_KINDS: ReadonlySet<string> = new Set(['terms', 'histogram', 'date_histogram', 'geotile_grid']);

interface CompositeSourcePlan {
  readonly name: string;
  readonly source: SourcePlan;
  readonly keys: unknown;
  readonly ascending: boolean;
  readonly missing_bucket: boolean;
  readonly missing_first: boolean;
}

export const compositeAggregation: AggregationParser = {
  name: 'composite',
  takesChildren: true,
  parse(place, { ancestors, settings }) {
    let sources: readonly CompositeSourcePlan[] | undefined;
    let size = SIZE_DEFAULT;
    let after: Place | undefined;
    readMembers(place, 'composite', {
      sources: (value) => void (sources = readSources(value)),
      size: (value) => {
        size = readInt(value);
        if (size <= 0) throw illegalArgument(`[size] must be greater than 0. Found [${size}]`);
      },
      after: (value) => void (after = value),
    });
    if (sources === undefined) throw place.error('Required [sources]', 'illegal_argument_exception');
    checkParents(ancestors);
    if (size > settings.maxBuckets) throw tooManyBuckets(size, settings.maxBuckets);
    return {
      composite: { sources, size, ...(after === undefined ? {} : { after: readAfter(after, sources) }) },
    };
  },
};

function tooManyBuckets(size: number, most: number): Error {
  return new QuarryError(
    'too_many_buckets_exception',
    `Trying to create too many buckets. Must be less than or equal to: [${most}] but was [${size}]. This limit can be set by ` +
      'changing the [search.max_buckets] cluster level setting.',
  );
}

function checkParents(ancestors: readonly string[]): void {
  const parent = ancestors.find((kind) => !PARENTS.has(kind));
  if (parent === undefined) return;
  const factory = parent.replace(/(^|_)(\w)/g, (_match, _start, letter: string) => letter.toUpperCase());
  throw illegalArgument(
    `[composite] aggregation cannot be used with a parent aggregation of type: [${factory}AggregatorFactory]`,
  );
}

function readSources(place: Place): readonly CompositeSourcePlan[] {
  if (!place.isArray && !place.isObject) throw place.error('[composite] [sources] must be an array');
  const sources = place.items().flatMap((item) => item.members().map(([name, body]) => readSource(name, body)));
  if (sources.length === 0) throw illegalArgument('Composite [sources] cannot be null or empty');
  const names = sources.map(({ name }) => name);
  const twice = [...new Set(names.filter((name, place) => names.indexOf(name) !== place))];
  if (twice.length > 0) {
    throw illegalArgument(`Composite source names must be unique, found duplicates: [${twice.join(',')}]`);
  }
  return sources;
}

function readSource(name: string, place: Place): CompositeSourcePlan {
  const [first, second] = place.members();
  if (first === undefined || second !== undefined) {
    throw place.error(`[composite] source [${name}] must have one kind, found [${place.members().length}]`);
  }
  const [kind, body] = first;
  if (!SOURCE_KINDS.has(kind)) {
    throw body.error(`[composite] source kind [${kind}] is unknown`, 'illegal_argument_exception');
  }
  const options = new SourceOptions(kind);
  const order = new SourceOrder();
  const dates = new DateIntervalOptions();
  const tiles = CellOptions.tiles();
  let interval: number | undefined;
  const own: Readonly<Record<string, OptionReaders>> = {
    date_histogram: { ...dates.readers, ...options.readersOf('time_zone', 'format') },
    histogram: { interval: (value) => void (interval = readNumber(value)) },
    geotile_grid: tiles.readers,
    terms: options.readersOf('format'),
  };
  const common = options.readersOf(...(kind === 'geotile_grid' ? ['field'] : ['field', 'script', 'value_type']));
  readMembers(body, kind, { ...common, ...order.readers, ...own[kind] });
  const keys = kind === 'geotile_grid' ? { geotile: tiles.plan() } : keysOf(kind, interval, dates);
  return { name, source: options.source(body), keys, ...order.plan() };
}

function keysOf(kind: string, interval: number | undefined, dates: DateIntervalOptions): unknown {
  if (kind === 'terms') return 'terms';
  if (kind === 'date_histogram') return { date_histogram: dates.plan() };
  if (interval === undefined) throw illegalArgument('Required [interval]');
  if (interval <= 0) throw illegalArgument('[interval] must be greater than 0 for [histogram] source');
  return { histogram: { interval } };
}

/** `order`, `missing_bucket` and `missing_order`. */
class SourceOrder {
  #ascending = true;
  #missingBucket = false;
  #missingOrder = 'default';

  get readers(): OptionReaders {
    return {
      order: (value) => {
        const order = readText(value).toLowerCase();
        if (order !== 'asc' && order !== 'desc') throw illegalArgument(`Unknown order direction [${order}]`);
        this.#ascending = order === 'asc';
      },
      missing_bucket: (value) => void (this.#missingBucket = readBoolean(value)),
      missing_order: (value) => {
        this.#missingOrder = readText(value).toLowerCase();
        if (!['first', 'last', 'default'].includes(this.#missingOrder)) {
          throw illegalArgument(`Unknown missing order [${this.#missingOrder}]`);
        }
      },
    };
  }

  plan(): Pick<CompositeSourcePlan, 'ascending' | 'missing_bucket' | 'missing_first'> {
    if (!this.#missingBucket && this.#missingOrder !== 'default') {
      throw illegalArgument('missing_order requires missing_bucket is true');
    }
    const first = this.#missingOrder === 'default' ? this.#ascending : this.#missingOrder === 'first';
    return { ascending: this.#ascending, missing_bucket: this.#missingBucket, missing_first: first };
  }
}

function readAfter(place: Place, sources: readonly CompositeSourcePlan[]): readonly JsonScalar[] {
  if (!place.isObject) throw place.error('[composite] [after] must be an object');
  const values = new Map(place.members());
  if (values.size !== sources.length) {
    throw illegalArgument(`[after] has ${values.size} value(s) but [sources] has ${sources.length}`);
  }
  return sources.map(({ name }) => {
    const value = values.get(name);
    if (value === undefined) throw illegalArgument(`Missing value for [after.${name}]`);
    return readScalar(value);
  });
}
