/** Query-string parameters: an endpoint declares each with its kind, and gets it parsed and typed. */
import { illegalArgument } from '../base/errors.js';
import { splitList } from '../base/split-list.js';
import { formatBytes, parseBytes, parseTimeMs } from '../base/units.js';

export { splitList };

/** How one parameter is read. `parse` is called with the decoded text; `missing` is the value when it is absent. */
export interface ParameterKind<T> {
  parse(text: string, name: string): T;
  readonly missing: T;
  /** All that it may be, where these are few. */
  readonly values?: readonly string[];
}

export type ParameterDeclarations = Readonly<Record<string, ParameterKind<unknown>>>;

export type ParameterValues<Declarations extends ParameterDeclarations> = {
  readonly [Name in keyof Declarations]: Declarations[Name] extends ParameterKind<infer T> ? T : never;
};

type Optional<T> = ParameterKind<T | undefined>;

/** `true`, `false` or present without a value (which is true). */
export function booleanParameter(): Optional<boolean>;
export function booleanParameter(fallback: boolean): ParameterKind<boolean>;
export function booleanParameter(fallback?: boolean): Optional<boolean> {
  return { parse: parseBoolean, missing: fallback, values: BOOLEANS };
}

const BOOLEANS = ['true', 'false'];

export function stringParameter(): Optional<string>;
export function stringParameter(fallback: string): ParameterKind<string>;
export function stringParameter(fallback?: string): Optional<string> {
  return { parse: (text) => text, missing: fallback };
}

/** Comma-separated names; empty ones are left out. */
export function listParameter(): Optional<readonly string[]> {
  return { parse: (text) => splitList(text), missing: undefined };
}

/** An integer of 32 bits, optionally bounded. */
export function integerParameter(fallback?: number): Optional<number> {
  return {
    parse(text, name) {
      const value = /^[+-]?\d+$/.test(text) ? Number(text) : NaN;
      if (Number.isInteger(value) && value >= -0x8000_0000 && value <= 0x7fff_ffff) return value;
      throw illegalArgument(`Failed to parse int parameter [${name}] with value [${text}]`);
    },
    missing: fallback,
  };
}

/** An integer that JavaScript holds exactly, such as a version or a sequence number. */
export function longParameter(fallback?: number): Optional<number> {
  return {
    parse(text, name) {
      const value = /^[+-]?\d+$/.test(text) ? Number(text) : NaN;
      if (Number.isSafeInteger(value)) return value;
      throw illegalArgument(`Failed to parse long parameter [${name}] with value [${text}]`);
    },
    missing: fallback,
  };
}

/** A whole number between two others. */
export function countParameter(least: number, most: number, fallback: number): ParameterKind<number> {
  const whole = longParameter();
  return {
    parse(text, name) {
      const value = whole.parse(text, name) ?? fallback;
      if (value >= least && value <= most) return value;
      throw illegalArgument(`[${name}] is [${value}] and must be of [${least}] to [${most}]`);
    },
    missing: fallback,
  };
}

/** A size such as `10mb`, in bytes. */
export function bytesParameter(least: number, most: number, fallback: number): ParameterKind<number> {
  return {
    parse(text, name) {
      const value = parseBytes(text, name);
      if (value >= least && value <= most) return value;
      throw illegalArgument(`[${name}] is [${text}] and must be of [${formatBytes(least)}] to [${formatBytes(most)}]`);
    },
    missing: fallback,
  };
}

export function floatParameter(fallback?: number): Optional<number> {
  return {
    parse(text, name) {
      const value = text.trim() === '' ? NaN : Number(text);
      if (!Number.isNaN(value)) return value;
      throw illegalArgument(`Failed to parse float parameter [${name}] with value [${text}]`);
    },
    missing: fallback,
  };
}

/** A duration such as `30s`, in milliseconds. */
export function timeParameter(): Optional<number>;
export function timeParameter(fallbackMs: number): ParameterKind<number>;
export function timeParameter(fallbackMs?: number): Optional<number> {
  return { parse: (text, name) => parseTimeMs(text, name), missing: fallbackMs };
}

/** One of the named values. `refuse` makes the API's own sentence where it has one. */
export function enumParameter<const Value extends string>(
  values: readonly Value[],
  refuse?: (text: string) => Error,
): Optional<Value> {
  return {
    parse(text, name) {
      const found = values.find((value) => value === text);
      if (found !== undefined) return found;
      throw (
        refuse?.(text) ??
        illegalArgument(`unknown value [${text}] for parameter [${name}], expected one of [${values.join(', ')}]`)
      );
    },
    missing: undefined,
    values,
  };
}

/** How many copies must be active: `all`, or a number. */
export function activeShardsParameter(): Optional<'all' | number> {
  return {
    parse(text) {
      if (text === 'all') return 'all';
      const count = /^-?\d+$/.test(text) ? Number(text) : NaN;
      if (Number.isNaN(count)) throw illegalArgument(`cannot parse ActiveShardCount[${text}]`);
      if (count < 0) throw illegalArgument('shard count cannot be a negative value');
      return count;
    },
    missing: undefined,
  };
}

function parseBoolean(text: string): boolean {
  if (text === 'true' || text === '') return true;
  if (text === 'false') return false;
  throw illegalArgument(`Failed to parse value [${text}] as only [true] or [false] are allowed.`);
}

/** Parameters of every endpoint that names indices. */
export const indicesOptionsParameters = {
  ignore_unavailable: booleanParameter(),
  allow_no_indices: booleanParameter(),
  expand_wildcards: listParameter(),
} as const;

/** Parameters of every endpoint that changes the cluster state. */
export const acknowledgedParameters = {
  timeout: timeParameter(30_000),
  master_timeout: timeParameter(30_000),
  cluster_manager_timeout: timeParameter(30_000),
} as const;

/** Names of parameters for who completes them: `name`, or `name=value|value` where the values are few. */
export function parameterHints(declarations: ParameterDeclarations): readonly string[] {
  return Object.entries(declarations).map(([name, { values }]) =>
    values === undefined ? name : `${name}=${values.join('|')}`,
  );
}
