/** `significant_terms` and `significant_text`: terms that are more frequent in a bucket than in the background. */
import { illegalArgument } from '../../../base/errors.js';
import type { Place } from '../../body/place.js';
import { readBoolean, readInt, readLong, readText } from '../../body/read.js';
import type { QueryPlan, ScriptPlan } from '../../plan/query-plan.js';
import type { OptionReaders } from '../../query/query-parser.js';
import { readScript } from '../../script/read-script.js';
import {
  atLeast,
  readMembers,
  SourceOptions,
  type AggregationContext,
  type AggregationParser,
} from '../aggregation-parser.js';
import type { SourcePlan } from '../aggregation-plan.js';
import { SelectionOptions } from './selection.js';
import { checkChoice, defaultShardSize } from './terms-cut.js';

const SIZE_DEFAULT = 10;
const MIN_DOC_COUNT_DEFAULT = 3;
const EXECUTION_HINTS: ReadonlySet<string> = new Set(['map', 'global_ordinals']);

/** What both kinds share: how many terms, which of them, and what they are compared with. */
class SignificanceOptions {
  readonly #context: AggregationContext;
  readonly #selection: SelectionOptions;
  #size = SIZE_DEFAULT;
  #shardSize: number | undefined;
  #minDocCount = MIN_DOC_COUNT_DEFAULT;
  #shardMinDocCount = 0;
  #background: QueryPlan | undefined;
  #heuristic: unknown = 'jlh';

  constructor(context: AggregationContext) {
    this.#context = context;
    this.#selection = new SelectionOptions(context.settings);
  }

  get readers(): OptionReaders {
    const { name } = this.#context;
    const setHeuristic = (value: Place): void => void (this.#heuristic = readHeuristic(value));
    return {
      ...this.#selection.readers,
      ...Object.fromEntries(Object.keys(HEURISTICS).map((kind) => [kind, setHeuristic])),
      size: (value) => void (this.#size = atLeast(readInt(value), 1, 'size', name)),
      shard_size: (value) => void (this.#shardSize = atLeast(readInt(value), 1, 'shard_size', name)),
      min_doc_count: (value) => void (this.#minDocCount = atLeast(readLong(value), 0, 'min_doc_count', name)),
      shard_min_doc_count: (value) => {
        this.#shardMinDocCount = atLeast(readLong(value), 0, 'shard_min_doc_count', name);
      },
      background_filter: (value) => void (this.#background = this.#context.parseQuery(value)),
      script_heuristic: (value) => {
        this.#heuristic = { script: readScriptHeuristic(value) };
      },
    };
  }

  plan(source: SourcePlan): object {
    return {
      source,
      size: this.#size,
      // Twice what terms take: a term may be significant in all shards together, and in none alone.
      shard_size: Math.max(this.#size, this.#shardSize ?? 2 * defaultShardSize(this.#size)),
      min_doc_count: this.#minDocCount,
      shard_min_doc_count: Math.min(this.#shardMinDocCount, this.#minDocCount),
      heuristic: this.#heuristic,
      ...this.#selection.plan(),
      ...(this.#background === undefined ? {} : { background: this.#background }),
    };
  }
}

export const significantTermsAggregation: AggregationParser = {
  name: 'significant_terms',
  takesChildren: true,
  parse(place, context) {
    const source = new SourceOptions('significant_terms');
    const options = new SignificanceOptions(context);
    readMembers(place, 'significant_terms', {
      ...source.readers,
      ...options.readers,
      // How ordinals are counted is decided by the kernels; the hint has no other meaning.
      execution_hint: (value) => {
        checkChoice(value, EXECUTION_HINTS);
      },
    });
    return { significant_terms: options.plan(source.source(place)) };
  },
};

export const significantTextAggregation: AggregationParser = {
  name: 'significant_text',
  takesChildren: false,
  parse(place, context) {
    const options = new SignificanceOptions(context);
    let field: string | undefined;
    let sourceFields: readonly string[] | undefined;
    let filterDuplicates = false;
    readMembers(place, 'significant_text', {
      ...options.readers,
      field: (value) => void (field = readText(value)),
      source_fields: (value) => void (sourceFields = value.isArray ? value.items().map(readText) : [readText(value)]),
      filter_duplicate_text: (value) => void (filterDuplicates = readBoolean(value)),
    });
    if (field === undefined) throw place.error('Required [field]', 'illegal_argument_exception');
    return {
      significant_text: {
        terms: options.plan({ field }),
        ...(sourceFields === undefined ? {} : { source_fields: sourceFields }),
        filter_duplicate_text: filterDuplicates,
      },
    };
  },
};

/** The options of each heuristic with their defaults. */
const HEURISTICS: Readonly<Record<string, Readonly<Record<string, boolean | null>>>> = {
  jlh: {},
  percentage: {},
  gnd: { background_is_superset: true },
  chi_square: { include_negatives: false, background_is_superset: true },
  mutual_information: { include_negatives: false, background_is_superset: true },
  p_value: { background_is_superset: true, normalize_above: null },
};

/** `script_heuristic`: `{ "script": .. }`. */
function readScriptHeuristic(place: Place): ScriptPlan {
  let script: ScriptPlan | undefined;
  readMembers(place, 'script_heuristic', { script: (value) => void (script = readScript(value)) });
  if (script === undefined) throw place.error('Required [script]', 'illegal_argument_exception');
  return script;
}

function readNormalizeAbove(place: Place): number {
  const limit = readLong(place);
  if (limit > 0) return limit;
  throw illegalArgument(`[normalize_above] must be a positive value, provided [${limit}]`);
}

function readHeuristic(place: Place): unknown {
  const kind = String(place.step);
  const options: Record<string, boolean | number | null> = { ...HEURISTICS[kind] };
  if (!place.isObject) throw illegalArgument(`[${kind}] must be an object`);
  const readers: OptionReaders = Object.fromEntries(
    Object.keys(options).map((option) => {
      const read = option === 'normalize_above' ? readNormalizeAbove : readBoolean;
      return [option, (value: Place) => void (options[option] = read(value))];
    }),
  );
  readMembers(place, kind, readers);
  return Object.keys(options).length === 0 ? kind : { [kind]: options };
}
