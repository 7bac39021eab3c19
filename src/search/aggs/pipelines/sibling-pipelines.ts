/** Pipelines that make one result of the buckets of an aggregation beside them. */
import { illegalArgument, QuarryError } from '../../../base/errors.js';
import type { Place } from '../../body/place.js';
import { readBoolean, readLong, readNumber, readText } from '../../body/read.js';
import type { OptionReaders } from '../../query/query-parser.js';
import { readMembers, type AggregationParser } from '../aggregation-parser.js';
import { PipelineOptions, type PipelineInputPlan } from './pipeline-options.js';

const SIGMA_DEFAULT = 2;
const PERCENTS_DEFAULT: readonly number[] = [1, 5, 25, 50, 75, 95, 99];

function bucketMetric(name: string): AggregationParser {
  return {
    name,
    takesChildren: false,
    pipeline: 'sibling',
    parse(place, context) {
      const options = new PipelineOptions(name, context);
      readMembers(place, name, options.readers);
      return { pipeline: { [name]: options.input(place) } };
    },
  };
}

const extendedStats: AggregationParser = {
  name: 'extended_stats_bucket',
  takesChildren: false,
  pipeline: 'sibling',
  parse(place, context) {
    const options = new PipelineOptions('extended_stats_bucket', context);
    let sigma = SIGMA_DEFAULT;
    readMembers(place, 'extended_stats_bucket', {
      ...options.readers,
      sigma: (value) => void (sigma = readNumber(value)),
    });
    if (sigma < 0) throw illegalArgument('sigma must be a non-negative double');
    return { pipeline: { extended_stats_bucket: { input: options.input(place), sigma } } };
  },
};

const percentiles: AggregationParser = {
  name: 'percentiles_bucket',
  takesChildren: false,
  pipeline: 'sibling',
  parse(place, context) {
    const options = new PipelineOptions('percentiles_bucket', context);
    let percents = PERCENTS_DEFAULT;
    let keyed = true;
    readMembers(place, 'percentiles_bucket', {
      ...options.readers,
      percents: (value) => void (percents = readPercents(value)),
      keyed: (value) => void (keyed = readBoolean(value)),
    });
    return { pipeline: { percentiles_bucket: { input: options.input(place), percents, keyed } } };
  },
};

function readPercents(place: Place): readonly number[] {
  const percents = place.items().map(readNumber);
  if (percents.some((percent) => percent < 0 || percent > 100)) {
    throw illegalArgument('[percents] must only contain non-null doubles from 0.0-100.0 inclusive');
  }
  return percents;
}

const FUNCTION = 'count_correlation';

/** What was expected of each bucket, and of how many documents. */
interface Indicator {
  readonly expectations: readonly number[];
  readonly fractions?: readonly number[];
  readonly doc_count: number;
}

const bucketCorrelation: AggregationParser = {
  name: 'bucket_correlation',
  takesChildren: false,
  pipeline: 'sibling',
  parse(place, context) {
    const options = new PipelineOptions('bucket_correlation', context, 'insert_zeros');
    let indicator: Indicator | undefined;
    readMembers(place, 'bucket_correlation', {
      ...countReaders(options),
      function: (value) => void (indicator = readFunction(value)),
    });
    if (indicator === undefined) throw place.error('Required [function]', 'illegal_argument_exception');
    const input = countInput(options, place, 'count correlation requires that bucket_path points to bucket [_count]');
    return { pipeline: { bucket_correlation: { input, ...indicator } } };
  },
};

/** Of pipelines over the counts of buckets: an empty one counts nothing. */
function countReaders(options: PipelineOptions): OptionReaders {
  const { buckets_path, gap_policy } = options.readers;
  return { ...(buckets_path && { buckets_path }), ...(gap_policy && { gap_policy }) };
}

/** `refusal`: of a path that leads to something else. */
function countInput(options: PipelineOptions, place: Place, refusal: string): PipelineInputPlan {
  const input = options.input(place);
  if (input.gaps !== 'insert_zeros') throw illegalArgument('only [gap_policy] of [insert_zeros] is supported');
  if (input.path.at(-1) === '_count') return input;
  throw new QuarryError('action_request_validation_exception', `Validation Failed: 1: ${refusal};`);
}

function readFunction(place: Place): Indicator {
  const [first, second] = place.members();
  if (first === undefined || second !== undefined) throw place.error('Expected an object with one function');
  const [name, body] = first;
  if (name !== FUNCTION) throw body.errorWithPlace(`unknown field [${name}]`, 'named_object_not_found_exception');
  let indicator: Indicator | undefined;
  readMembers(body, 'count_correlation_function', { indicator: (value) => void (indicator = readIndicator(value)) });
  if (indicator === undefined) throw body.error('Required [indicator]', 'illegal_argument_exception');
  return indicator;
}

function readIndicator(place: Place): Indicator {
  let expectations: readonly number[] | undefined;
  let fractions: readonly number[] | undefined;
  let documents: number | undefined;
  readMembers(place, 'correlative_value', {
    expectations: (value) => void (expectations = value.items().map(readNumber)),
    fractions: (value) => void (fractions = value.items().map(readNumber)),
    doc_count: (value) => void (documents = readLong(value)),
  });
  if (expectations === undefined || documents === undefined) {
    const missing = expectations === undefined ? 'expectations' : 'doc_count';
    throw place.error(`Required [${missing}]`, 'illegal_argument_exception');
  }
  if (fractions !== undefined && fractions.length !== expectations.length) {
    throw illegalArgument('[expectations] and [fractions] must have the same length');
  }
  if (documents <= 0) throw illegalArgument('[doc_count] must be a positive value');
  if (expectations.length < 2) throw illegalArgument('[expectations] must have a length of at least 2');
  return { expectations, doc_count: documents, ...(fractions === undefined ? {} : { fractions }) };
}

const ALTERNATIVES: readonly string[] = ['less', 'greater', 'two_sided'];
const SAMPLING_METHODS: readonly string[] = ['upper_tail', 'lower_tail', 'uniform'];

const bucketCountKsTest: AggregationParser = {
  name: 'bucket_count_ks_test',
  takesChildren: false,
  pipeline: 'sibling',
  parse(place, context) {
    const options = new PipelineOptions('bucket_count_ks_test', context, 'insert_zeros');
    let fractions: readonly number[] | undefined;
    let alternatives = ALTERNATIVES;
    let samplingMethod = 'upper_tail';
    readMembers(place, 'bucket_count_ks_test', {
      ...countReaders(options),
      fractions: (value) => void (fractions = value.items().map(readNumber)),
      alternative: (value) => void (alternatives = readAlternatives(value, context.name)),
      sampling_method: (value) => void (samplingMethod = readOneOf(value, SAMPLING_METHODS, 'sampling_method')),
    });
    const refusal = '[bucket_count_ks_test] requires that buckets_path points to bucket [_count]';
    const input = countInput(options, place, refusal);
    const expected = fractions === undefined ? {} : { fractions };
    return {
      pipeline: { bucket_count_ks_test: { input, ...expected, alternatives, sampling_method: samplingMethod } },
    };
  },
};

/** In the order in which results show them, each once. */
function readAlternatives(place: Place, name: string): readonly string[] {
  const given = new Set(place.items().map((item) => readOneOf(item, ALTERNATIVES, 'alternative')));
  if (given.size === 0) throw illegalArgument(`[alternative] must not be empty for aggregation [${name}]`);
  return ALTERNATIVES.filter((alternative) => given.has(alternative));
}

function readOneOf(place: Place, known: readonly string[], option: string): string {
  const text = readText(place);
  const name = text.toLowerCase();
  if (known.includes(name)) return name;
  throw illegalArgument(`Unrecognized ${option} [${text}]`);
}

export const siblingPipelines: readonly AggregationParser[] = [
  ...['avg_bucket', 'sum_bucket', 'min_bucket', 'max_bucket', 'stats_bucket'].map(bucketMetric),
  bucketCorrelation,
  bucketCountKsTest,
  extendedStats,
  percentiles,
];
