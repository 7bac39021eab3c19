/** Pipelines that work on the list of buckets which they are declared in. */
import { illegalArgument } from '../../../base/errors.js';
import { parseTimeMs } from '../../../base/units.js';
import type { Place } from '../../body/place.js';
import { readInt, readText } from '../../body/read.js';
import type { ScriptPlan } from '../../plan/query-plan.js';
import { readScript } from '../../script/read-script.js';
import { readMembers, type AggregationParser } from '../aggregation-parser.js';
import { bucketScript } from './bucket-script.js';
import { PipelineOptions } from './pipeline-options.js';

/** Milliseconds of calendar units: those of months and years are averages. */
const UNIT_MS: Readonly<Record<string, number>> = {
  ...{ second: 1_000, '1s': 1_000, minute: 60_000, '1m': 60_000, hour: 3_600_000, '1h': 3_600_000 },
  ...{ day: 86_400_000, '1d': 86_400_000, week: 604_800_000, '1w': 604_800_000 },
  ...{ month: 2_629_746_000, '1M': 2_629_746_000, quarter: 7_889_238_000, '1q': 7_889_238_000 },
  ...{ year: 31_556_952_000, '1y': 31_556_952_000 },
};

const NORMALIZE_METHODS: ReadonlySet<string> = new Set([
  'rescale_0_1',
  'rescale_0_100',
  'percent_of_sum',
  'mean',
  'z-score',
  'softmax',
]);

const derivative: AggregationParser = {
  name: 'derivative',
  takesChildren: false,
  pipeline: 'sequential',
  parse(place, context) {
    const options = new PipelineOptions('derivative', context);
    let unit: number | undefined;
    readMembers(place, 'derivative', {
      ...options.readers,
      unit: (value) => void (unit = unitMs(readText(value))),
    });
    return { pipeline: { derivative: { input: options.input(place), ...(unit === undefined ? {} : { unit }) } } };
  },
};

function unitMs(text: string): number {
  return UNIT_MS[text] ?? parseTimeMs(text, 'derivative.unit');
}

function cumulative(name: 'cumulative_sum' | 'cumulative_cardinality'): AggregationParser {
  return {
    name,
    takesChildren: false,
    pipeline: 'sequential',
    parse(place, context) {
      const options = new PipelineOptions(name, context);
      const { buckets_path, format } = options.readers;
      readMembers(place, name, { ...(buckets_path && { buckets_path }), ...(format && { format }) });
      return { pipeline: { [name]: options.input(place) } };
    },
  };
}

const serialDiff: AggregationParser = {
  name: 'serial_diff',
  takesChildren: false,
  pipeline: 'sequential',
  parse(place, context) {
    const options = new PipelineOptions('serial_diff', context);
    let lag = 1;
    readMembers(place, 'serial_diff', {
      ...options.readers,
      lag: (value) => {
        lag = readInt(value);
        if (lag <= 0) throw value.error('Lag must be a positive, non-zero integer.');
      },
    });
    return { pipeline: { serial_diff: { input: options.input(place), lag } } };
  },
};

const movingFn: AggregationParser = {
  name: 'moving_fn',
  takesChildren: false,
  pipeline: 'sequential',
  parse(place, context) {
    const options = new PipelineOptions('moving_fn', context);
    let window: number | undefined;
    let shift = 0;
    let script: ScriptPlan | undefined;
    readMembers(place, 'moving_fn', {
      ...options.readers,
      window: (value) => void (window = readInt(value)),
      shift: (value) => void (shift = readInt(value)),
      script: (value) => void (script = readScript(value)),
    });
    const missing = script === undefined ? 'script' : window === undefined ? 'window' : undefined;
    if (missing !== undefined) throw place.error(`Required [${missing}]`, 'illegal_argument_exception');
    if ((window ?? 0) <= 0) throw illegalArgument('[window] must be a positive, non-zero integer.');
    return { pipeline: { moving_fn: { input: options.input(place), window, shift, script } } };
  },
};

const movingPercentiles: AggregationParser = {
  name: 'moving_percentiles',
  takesChildren: false,
  pipeline: 'sequential',
  parse(place, context) {
    const options = new PipelineOptions('moving_percentiles', context);
    const { buckets_path } = options.readers;
    let window: number | undefined;
    let shift = 0;
    readMembers(place, 'moving_percentiles', {
      ...(buckets_path && { buckets_path }),
      window: (value) => void (window = readInt(value)),
      shift: (value) => void (shift = readInt(value)),
    });
    if (window === undefined) throw place.error('Required [window]', 'illegal_argument_exception');
    if (window <= 0) throw illegalArgument('[window] must be a positive, non-zero integer.');
    return { pipeline: { moving_percentiles: { input: options.input(place), window, shift } } };
  },
};

const normalize: AggregationParser = {
  name: 'normalize',
  takesChildren: false,
  pipeline: 'parent',
  parse(place, context) {
    const options = new PipelineOptions('normalize', context);
    const { buckets_path, format } = options.readers;
    let method: string | undefined;
    readMembers(place, 'normalize', {
      ...(buckets_path && { buckets_path }),
      ...(format && { format }),
      method: (value) => void (method = readMethod(value)),
    });
    if (method === undefined) throw place.error('Required [method]', 'illegal_argument_exception');
    return { pipeline: { normalize: { input: options.input(place), method } } };
  },
};

function readMethod(place: Place): string {
  const method = readText(place);
  if (NORMALIZE_METHODS.has(method)) return method;
  throw illegalArgument(`invalid method [${method}]`);
}

export const parentPipelines: readonly AggregationParser[] = [
  derivative,
  cumulative('cumulative_sum'),
  cumulative('cumulative_cardinality'),
  serialDiff,
  movingFn,
  movingPercentiles,
  bucketScript('bucket_script'),
  bucketScript('bucket_selector'),
  normalize,
];
