/**
 * The contract of every kind of aggregation: one file for each family, listed in `aggregation-parsers.ts`.
 *
 * A parser gets the object that follows the kind's name and returns the plan's `kind`, with every name, type and limit checked that
 * does not need a mapping, or throws with the API's error type and sentence and the place in the body.
 */
import { illegalArgument, QuarryError } from '../../base/errors.js';
import { nearestNames } from '../../base/suggest.js';
import type { Place } from '../body/place.js';
import { readScalar, readText } from '../body/read.js';
import { readTimeZoneOrHours } from '../body/time-zone.js';
import type { ScriptPlan } from '../plan/query-plan.js';
import type { Draft, OptionReaders, ParseQuery } from '../query/query-parser.js';
import { computedField } from '../script/computed-field.js';
import { readScript } from '../script/read-script.js';
import type { SearchSettings } from '../settings.js';
import type { SourcePlan, ValueTypePlan } from './aggregation-plan.js';

export interface AggregationContext {
  /** Name that the request gives the aggregation. */
  readonly name: string;
  readonly settings: SearchSettings;
  /** Name of the aggregation that it lies below. */
  readonly parent: string | undefined;
  /** Kinds of the aggregations that it lies below, from the top. */
  readonly ancestors: readonly string[];
  /** Takes a `buckets_path`, as it was written, that the aggregation gets values from. */
  noteInput(path: string): void;
  readonly parseQuery: ParseQuery;
}

export interface AggregationParser {
  /** Name in the DSL. */
  readonly name: string;
  /** Metrics have no buckets for others to live in. */
  readonly takesChildren: boolean;
  /**
   * Present: it is computed from the results of others. `sibling`: of one that lies beside it; else of the buckets that it lies in,
   * which `sequential` ones need to be those of a histogram.
   */
  readonly pipeline?: 'sibling' | 'parent' | 'sequential';
  parse(place: Place, context: AggregationContext): object;
}

/** Reads the members of an aggregation's body; an unknown one is refused by name and place. */
export function readMembers(place: Place, kind: string, readers: OptionReaders): void {
  if (!place.isObject) {
    throw place.error(`Expected [START_OBJECT] under [${kind}], but got a [${place.token}] in [${kind}]`);
  }
  for (const [name, value] of place.members()) {
    const read = Object.hasOwn(readers, name) ? readers[name] : undefined;
    if (read === undefined) {
      const [nearest] = nearestNames(name, Object.keys(readers));
      const hint = nearest === undefined ? '' : ` did you mean [${nearest}]?`;
      throw value.errorWithPlace(`[${kind}] unknown field [${name}]${hint}`);
    }
    readMember(read, value, kind);
  }
}

/** A value that is not a number fails as a member of its aggregation. */
function readMember(read: (value: Place) => void, value: Place, kind: string): void {
  try {
    read(value);
  } catch (error) {
    if (!(error instanceof QuarryError) || error.type !== 'number_format_exception') throw error;
    const reason = `[${kind}] failed to parse field [${value.step}]`;
    throw value.errorWithPlace(reason, 'x_content_parse_exception', error);
  }
}

/** Kinds that take a `time_zone`. */
const ZONED: ReadonlySet<string> = new Set([
  'date_histogram',
  'auto_date_histogram',
  'date_range',
  'multi_terms',
  'variable_width_histogram',
]);

/** Options of where values come from. */
export class SourceOptions {
  #field: string | undefined;
  #script: ScriptPlan | undefined;
  /** As the request has it. */
  #valueType: string | undefined;
  readonly #source: Draft<Omit<SourcePlan, 'field'>> = {};
  readonly #kind: string;

  constructor(kind: string) {
    this.#kind = kind;
  }

  get readers(): OptionReaders {
    return {
      ...(ZONED.has(this.#kind) ? { time_zone: this.#readTimeZone } : {}),
      field: (value) => void (this.#field = readText(value)),
      missing: (value) => {
        if (value.value === null) throw value.error('[missing] must not be null', 'illegal_argument_exception');
        const missing = readScalar(value);
        if (missing !== null) this.#source.missing = missing;
      },
      format: (value) => void (this.#source.format = readText(value)),
      value_type: (value) => {
        this.#source.value_type = readValueType(value);
        this.#valueType = readText(value);
      },
      script: (value) => void (this.#script = readScript(value)),
    };
  }

  readonly #readTimeZone = (value: Place): void => {
    this.#source.time_zone = readTimeZoneOrHours(value, this.#kind);
  };

  /** Some of the readers, for aggregations that read the others elsewhere. */
  readersOf(...names: readonly string[]): OptionReaders {
    return Object.fromEntries(Object.entries(this.readers).filter(([name]) => names.includes(name)));
  }

  /** What was read besides the field. */
  get plan(): Omit<SourcePlan, 'field'> {
    return this.#source;
  }

  /** Throws the API's sentence when no field was given. */
  source(place: Place): SourcePlan {
    if (this.#script !== undefined) return this.#computed(this.#script);
    if (this.#field === undefined) {
      throw place.error(
        'Required one of fields [field, script], but none were specified. ',
        'illegal_argument_exception',
      );
    }
    return { field: this.#field, ...this.#source };
  }

  /** Of values of the field the script makes others of their type; without a field the request, or the kind, says the type. */
  #computed(script: ScriptPlan): SourcePlan {
    const type = this.#valueType === undefined ? SCRIPT_TYPES[this.#kind] : COMPUTED_TYPES[this.#valueType];
    const computed = computedField({
      script,
      context: 'aggs',
      ...(this.#field === undefined ? {} : { base: this.#field }),
      ...(this.#field === undefined || this.#valueType !== undefined ? { type: type ?? 'double' } : {}),
    });
    return { field: computed.name, computed, ...this.#source };
  }
}

/** What scripts give where the request does not say; of other kinds, numbers. */
const SCRIPT_TYPES: Readonly<Record<string, string>> = {
  ...{ terms: 'keyword', rare_terms: 'keyword', significant_terms: 'keyword', multi_terms: 'keyword' },
  ...{ cardinality: 'keyword', value_count: 'keyword', string_stats: 'keyword', diversified_sampler: 'keyword' },
  ...{ date_histogram: 'date', auto_date_histogram: 'date', date_range: 'date', rate: 'double' },
  ...{ ip_range: 'ip', ip_prefix: 'ip' },
};

/** Types of computed fields by names of value types. */
const COMPUTED_TYPES: Readonly<Record<string, string>> = {
  ...{ string: 'keyword', ip: 'ip', boolean: 'boolean', date: 'date' },
  ...{ byte: 'long', short: 'long', integer: 'long', long: 'long', unsigned_long: 'long' },
};

/** Names of value types; whole and fractional numbers are told apart by their values. */
const VALUE_TYPES: Readonly<Record<string, ValueTypePlan>> = {
  ...{ string: 'string', ip: 'ip', boolean: 'boolean', date: 'date', unsigned_long: 'unsigned_long' },
  ...{ byte: 'number', short: 'number', integer: 'number', long: 'number', float: 'number', double: 'number' },
  ...{ number: 'number', numeric: 'number' },
};

function readValueType(place: Place): ValueTypePlan {
  const text = readText(place);
  const type = Object.hasOwn(VALUE_TYPES, text) ? VALUE_TYPES[text] : undefined;
  if (type === undefined) throw illegalArgument(`Unknown value type [${text}]`);
  return type;
}

/** `illegal_argument_exception` in the words of the API: `[size] must be greater than 0. Found [-1] in [name]`. */
export function atLeast(value: number, least: number, option: string, aggregation: string): number {
  if (value >= least) return value;
  const bound = least === 1 ? 'greater than 0' : `greater than or equal to ${least}`;
  throw illegalArgument(`[${option}] must be ${bound}. Found [${value}] in [${aggregation}]`);
}
