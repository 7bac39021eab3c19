/** `terms`: one bucket for each distinct value. */
import { illegalArgument } from '../../base/errors.js';
import type { JsonObject } from '../../base/json-value.js';
import type { Place } from '../body/place.js';
import { readBoolean, readInt, readScalar, readText } from '../body/read.js';
import type { SearchSettings } from '../settings.js';
import { atLeast, readMembers, SourceOptions, type AggregationParser } from './aggregation-parser.js';
import type { OrderPlan } from './aggregation-plan.js';
import { readOrder, withKey } from './order.js';

const SIZE_DEFAULT = 10;
const EXECUTION_HINTS: ReadonlySet<string> = new Set(['map', 'global_ordinals']);
const COLLECT_MODES: ReadonlySet<string> = new Set(['depth_first', 'breadth_first']);

/** Buckets that a shard hands on: more than shown, so that a term that is second in each shard can come first in all. */
function defaultShardSize(size: number): number {
  return Math.min(0x7fff_ffff, Math.floor(size * 1.5 + 10));
}

export const termsAggregation: AggregationParser = {
  name: 'terms',
  takesChildren: true,
  parse(place, { name, settings }) {
    const options = new SourceOptions('terms');
    let [size, minDocCount, shardMinDocCount] = [SIZE_DEFAULT, 1, 0];
    let shardSize: number | undefined;
    let order: readonly OrderPlan[] = withKey([{ by: 'count', ascending: false }]);
    let showError = false;
    const selections: { include?: JsonObject; exclude?: JsonObject } = {};
    readMembers(place, 'terms', {
      ...options.readers,
      size: (value) => void (size = atLeast(readInt(value), 1, 'size', name)),
      shard_size: (value) => void (shardSize = atLeast(readInt(value), 1, 'shard_size', name)),
      min_doc_count: (value) => void (minDocCount = atLeast(readInt(value), 0, 'min_doc_count', name)),
      shard_min_doc_count: (value) => {
        shardMinDocCount = atLeast(readInt(value), 0, 'shard_min_doc_count', name);
      },
      order: (value) => void (order = readOrder(value)),
      include: (value) => void (selections.include = readInclude(value, settings)),
      exclude: (value) => void (selections.exclude = readExclude(value, settings)),
      show_term_doc_count_error: (value) => void (showError = readBoolean(value)),
      // Both say how the reference should go about it; the answer is the same, and the kernels have one way.
      execution_hint: (value) => {
        checkChoice(value, EXECUTION_HINTS);
      },
      collect_mode: (value) => {
        checkChoice(value, COLLECT_MODES);
      },
    });
    if (selections.include !== undefined && 'partition' in selections.include && selections.exclude !== undefined) {
      throw illegalArgument('Cannot specify any excludes when using a partition-based include');
    }
    const terms = {
      source: options.source(place),
      size,
      shard_size: Math.max(size, shardSize ?? defaultShardSize(size)),
      min_doc_count: minDocCount,
      shard_min_doc_count: Math.min(shardMinDocCount, minDocCount),
      order,
      ...selections,
      show_term_doc_count_error: showError,
    };
    return { terms };
  },
};

function checkChoice(place: Place, choices: ReadonlySet<string>): void {
  const text = readText(place);
  if (!choices.has(text)) {
    throw illegalArgument(`[${text}] is not a valid [${place.step}]: one of [${[...choices].join(', ')}]`);
  }
}

/** A regular expression or a list of values. */
function readExclude(place: Place, settings: SearchSettings): JsonObject {
  if (place.isArray) return { values: place.items().map(readScalar) };
  if (typeof place.value !== 'string') throw illegalArgument(`Unrecognized token for an exclude [${place.token}]`);
  const length = place.value.length;
  if (length <= settings.maxRegexLength) return { regexp: place.value };
  throw illegalArgument(
    `The length of regex [${length}] used in the request has exceeded the allowed maximum of [${settings.maxRegexLength}]. ` +
      'This maximum can be set by changing the [index.max_regex_length] index level setting.',
  );
}

/** As an exclude, or `{"partition": .., "num_partitions": ..}`. */
function readInclude(place: Place, settings: SearchSettings): JsonObject {
  if (!place.isObject) {
    if (place.isArray || typeof place.value === 'string') return readExclude(place, settings);
    throw illegalArgument(`Unrecognized token for an include [${place.token}]`);
  }
  let partition: number | undefined;
  let partitions: number | undefined;
  for (const [name, value] of place.members()) {
    if (name === 'partition') partition = readInt(value);
    else if (name === 'num_partitions') partitions = readInt(value);
    else throw value.error(`Unknown parameter in Include/Exclude clause: ${name}`, 'parse_exception');
  }
  if (partition === undefined) throw illegalArgument('Missing [partition] parameter for partition-based include');
  if (partitions === undefined) {
    throw illegalArgument('Missing [num_partitions] parameter for partition-based include');
  }
  if (partition < 0 || partition >= partitions) {
    throw illegalArgument(`Partition must be >=0 and < numPartition which is ${partitions}`);
  }
  return { partition: { partition, partitions } };
}
