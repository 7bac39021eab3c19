/** `variable_width_histogram`: clusters of numbers. */
import { illegalArgument } from '../../../base/errors.js';
import { readInt } from '../../body/read.js';
import { atLeast, readMembers, SourceOptions, type AggregationParser } from '../aggregation-parser.js';

const BUCKETS_DEFAULT = 10;
/** Clusters that each shard makes for each bucket of the answer. */
const SHARD_FACTOR = 50;
const BUFFER_FACTOR = 10;
const BUFFER_MAX = 50_000;

export const variableWidthHistogramAggregation: AggregationParser = {
  name: 'variable_width_histogram',
  takesChildren: true,
  parse(place, { name, settings }) {
    const options = new SourceOptions('variable_width_histogram');
    let buckets = BUCKETS_DEFAULT;
    let shardSize: number | undefined;
    let initialBuffer: number | undefined;
    readMembers(place, 'variable_width_histogram', {
      ...options.readers,
      buckets: (value) => {
        buckets = readInt(value);
        if (buckets <= 0) throw illegalArgument(`buckets must be greater than [0] for [${name}]`);
        if (buckets > BUFFER_MAX) throw illegalArgument(`buckets must be less than [${BUFFER_MAX}] for [${name}]`);
      },
      shard_size: (value) => {
        shardSize = readInt(value);
        if (shardSize <= 1) throw illegalArgument(`shard_size must be greater than [1] for [${name}]`);
      },
      initial_buffer: (value) => void (initialBuffer = atLeast(readInt(value), 1, 'initial_buffer', name)),
    });
    const clusters = Math.min(shardSize ?? buckets * SHARD_FACTOR, settings.maxBuckets * SHARD_FACTOR);
    if (buckets > clusters) {
      throw illegalArgument(`3/4 of shard_size must be at least buckets but was [${clusters}] for [${name}]`);
    }
    return {
      variable_width_histogram: {
        source: options.source(place),
        buckets,
        shard_size: clusters,
        initial_buffer: initialBuffer ?? Math.min(BUFFER_FACTOR * clusters, BUFFER_MAX),
      },
    };
  },
};
