/** `significant_terms`: terms that are more frequent in a bucket than in the background. */
import { illegalArgument } from '../../base/errors.js';
import type { Place } from '../body/place.js';
import { readBoolean, readInt } from '../body/read.js';
import type { QueryPlan } from '../plan/query-plan.js';
import type { OptionReaders } from '../query/query-parser.js';
import { atLeast, readMembers, SourceOptions, type AggregationParser } from './aggregation-parser.js';
import { SelectionOptions } from './selection.js';
import { checkChoice, defaultShardSize } from './terms-cut.js';

const SIZE_DEFAULT = 10;
const MIN_DOC_COUNT_DEFAULT = 3;
const EXECUTION_HINTS: ReadonlySet<string> = new Set(['map', 'global_ordinals']);

export const significantTermsAggregation: AggregationParser = {
  name: 'significant_terms',
  takesChildren: true,
  parse(place, context) {
    const { name } = context;
    const options = new SourceOptions('significant_terms');
    const selection = new SelectionOptions(context.settings);
    let [size, minDocCount, shardMinDocCount] = [SIZE_DEFAULT, MIN_DOC_COUNT_DEFAULT, 0];
    let shardSize: number | undefined;
    let background: QueryPlan | undefined;
    let heuristic: unknown = 'jlh';
    const setHeuristic = (value: Place): void => void (heuristic = readHeuristic(value));
    readMembers(place, 'significant_terms', {
      ...options.readers,
      ...selection.readers,
      ...Object.fromEntries(Object.keys(HEURISTICS).map((kind) => [kind, setHeuristic])),
      size: (value) => void (size = atLeast(readInt(value), 1, 'size', name)),
      shard_size: (value) => void (shardSize = atLeast(readInt(value), 1, 'shard_size', name)),
      min_doc_count: (value) => void (minDocCount = atLeast(readInt(value), 0, 'min_doc_count', name)),
      shard_min_doc_count: (value) => {
        shardMinDocCount = atLeast(readInt(value), 0, 'shard_min_doc_count', name);
      },
      background_filter: (value) => void (background = context.parseQuery(value)),
      script_heuristic: (value) => {
        throw value.error('[significant_terms] scripts are not supported yet', 'illegal_argument_exception');
      },
      // How ordinals are counted is decided by the kernels; the hint has no other meaning.
      execution_hint: (value) => {
        checkChoice(value, EXECUTION_HINTS);
      },
    });
    return {
      significant_terms: {
        source: options.source(place),
        size,
        // Twice what terms take: a term may be significant in all shards together, and in none alone.
        shard_size: Math.max(size, shardSize ?? 2 * defaultShardSize(size)),
        min_doc_count: minDocCount,
        shard_min_doc_count: Math.min(shardMinDocCount, minDocCount),
        heuristic,
        ...selection.plan(),
        ...(background === undefined ? {} : { background }),
      },
    };
  },
};

/** The options of each heuristic with their defaults. */
const HEURISTICS: Readonly<Record<string, Readonly<Record<string, boolean>>>> = {
  jlh: {},
  percentage: {},
  gnd: { background_is_superset: true },
  chi_square: { include_negatives: false, background_is_superset: true },
  mutual_information: { include_negatives: false, background_is_superset: true },
};

function readHeuristic(place: Place): unknown {
  const kind = String(place.step);
  const options = { ...HEURISTICS[kind] };
  if (!place.isObject) throw illegalArgument(`[${kind}] must be an object`);
  const readers: OptionReaders = Object.fromEntries(
    Object.keys(options).map((option) => [option, (value: Place) => void (options[option] = readBoolean(value))]),
  );
  readMembers(place, kind, readers);
  return Object.keys(options).length === 0 ? kind : { [kind]: options };
}
