/** `sampler` and `diversified_sampler`: the best documents of each shard, for the aggregations below. */
import { illegalArgument } from '../../../base/errors.js';
import { readInt } from '../../body/read.js';
import { atLeast, readMembers, SourceOptions, type AggregationParser } from '../aggregation-parser.js';
import { checkChoice } from './terms-cut.js';

const SHARD_SIZE_DEFAULT = 100;
const EXECUTION_HINTS: ReadonlySet<string> = new Set(['map', 'global_ordinals', 'bytes_hash']);

const sampler: AggregationParser = {
  name: 'sampler',
  takesChildren: true,
  parse(place, { name }) {
    let shardSize = SHARD_SIZE_DEFAULT;
    readMembers(place, 'sampler', {
      shard_size: (value) => void (shardSize = atLeast(readInt(value), 1, 'shard_size', name)),
    });
    return { sampler: { shard_size: shardSize } };
  },
};

const diversifiedSampler: AggregationParser = {
  name: 'diversified_sampler',
  takesChildren: true,
  parse(place, { name }) {
    const options = new SourceOptions('diversified_sampler');
    let shardSize = SHARD_SIZE_DEFAULT;
    let maxDocsPerValue = 1;
    readMembers(place, 'diversified_sampler', {
      ...options.readers,
      shard_size: (value) => {
        shardSize = readInt(value);
        if (shardSize < 0) {
          throw illegalArgument(`[shardSize] must be greater than or equal to 0. Found [${shardSize}] in [${name}]`);
        }
      },
      max_docs_per_value: (value) => {
        maxDocsPerValue = readInt(value);
        if (maxDocsPerValue < 0) {
          throw illegalArgument(
            `[maxDocsPerValue] must be greater than or equal to 0. Found [${maxDocsPerValue}] in [${name}]`,
          );
        }
      },
      // How keys are told apart is decided by the kernels; the hint has no other meaning.
      execution_hint: (value) => {
        checkChoice(value, EXECUTION_HINTS);
      },
    });
    const diversity = { source: options.source(place), max_docs_per_value: maxDocsPerValue };
    return { sampler: { shard_size: shardSize, diversity } };
  },
};

export const samplerAggregations: readonly AggregationParser[] = [sampler, diversifiedSampler];
