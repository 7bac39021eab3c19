/** `terms`: one bucket for each distinct value. */
import { illegalArgument } from '../../base/errors.js';
import type { JsonObject } from '../../base/json-value.js';
import type { Place } from '../body/place.js';
import { readBoolean, readInt, readScalar, readText } from '../body/read.js';
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
  parse(place, { name }) {
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
      include: (value) => void (selections.include = readSelection(value)),
      exclude: (value) => void (selections.exclude = readSelection(value)),
      show_term_doc_count_error: (value) => void (showError = readBoolean(value)),
      // Both say how the reference should go about it; the answer is the same, and the kernels have one way.
      execution_hint: (value) => {
        checkChoice(value, EXECUTION_HINTS);
      },
      collect_mode: (value) => {
        checkChoice(value, COLLECT_MODES);
      },
    });
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

/** A regular expression, a list of values, or `{"partition": .., "num_partitions": ..}`. */
function readSelection(place: Place): JsonObject {
  if (place.isArray) return { values: place.items().map(readScalar) };
  if (!place.isObject) return { regexp: readText(place) };
  let partition = -1;
  let partitions = 0;
  readMembers(place, String(place.step), {
    partition: (value) => void (partition = readInt(value)),
    num_partitions: (value) => void (partitions = readInt(value)),
  });
  if (partition < 0) throw illegalArgument('Missing [partition] parameter for partition-based include');
  if (partitions < 1) throw illegalArgument('Missing [num_partitions] parameter for partition-based include');
  if (partition >= partitions) {
    throw illegalArgument(`[partition] [${partition}] must be below [num_partitions] [${partitions}]`);
  }
  return { partition: { partition, partitions } };
}
