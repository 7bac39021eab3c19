/** When an index is full: `conditions` of a rollover. */
import { illegalArgument, QuarryError } from '../../base/errors.js';
import type { JsonObject, JsonValue } from '../../base/json-value.js';
import { formatBytes, formatTime, parseBytes, parseTimeMs } from '../../base/units.js';

/** What an index amounts to; of its primaries. */
export interface IndexFigures {
  readonly ageMs: number;
  readonly docs: number;
  readonly bytes: number;
  readonly largestShardBytes: number;
  readonly largestShardDocs: number;
}

interface ConditionKind {
  readonly unit: 'time' | 'bytes' | 'count';
  readonly figure: keyof IndexFigures;
}

const KINDS: Readonly<Record<string, ConditionKind>> = {
  age: { unit: 'time', figure: 'ageMs' },
  docs: { unit: 'count', figure: 'docs' },
  size: { unit: 'bytes', figure: 'bytes' },
  primary_shard_size: { unit: 'bytes', figure: 'largestShardBytes' },
  primary_shard_docs: { unit: 'count', figure: 'largestShardDocs' },
};

export interface RolloverCondition {
  /** `max_age`, `min_docs`, ... */
  readonly name: string;
  readonly bound: number;
}

/** Throws naming the condition that is unknown or no number of its kind. */
export function parseConditions(body: JsonObject, place = 'conditions'): readonly RolloverCondition[] {
  const conditions = Object.entries(body).flatMap(([name, value]) => {
    const kind = kindOf(name);
    if (kind === undefined) throw new QuarryError('x_content_parse_exception', `[${place}] unknown field [${name}]`);
    return value === null || value === undefined ? [] : [{ name, bound: boundOf(kind, value, `${place}.${name}`) }];
  });
  const hasMinimum = conditions.some(({ name }) => name.startsWith('min_'));
  if (hasMinimum && !conditions.some(({ name }) => name.startsWith('max_'))) {
    throw illegalArgument('at least one max_* rollover condition must be set when using min_* conditions');
  }
  return conditions;
}

function kindOf(name: string): ConditionKind | undefined {
  const match = /^(?:max|min)_(\w+)$/.exec(name);
  const subject = match?.[1] ?? '';
  return Object.hasOwn(KINDS, subject) ? KINDS[subject] : undefined;
}

function boundOf({ unit }: ConditionKind, value: JsonValue, place: string): number {
  const text = typeof value === 'string' ? value : JSON.stringify(value);
  if (unit === 'time') return parseTimeMs(text, place);
  if (unit === 'bytes') return parseBytes(text, place);
  const count = /^\d+$/.test(text) ? Number(text) : NaN;
  if (Number.isSafeInteger(count)) return count;
  throw illegalArgument(`failed to parse [${place}] with value [${text}] as a number of documents`);
}

/** As the API prints it: `[max_docs: 5]`. */
export function describeCondition({ name, bound }: RolloverCondition): string {
  const unit = kindOf(name)?.unit;
  const value = unit === 'time' ? formatTime(bound) : unit === 'bytes' ? formatBytes(bound) : String(bound);
  return `[${name}: ${value}]`;
}

export function isMet({ name, bound }: RolloverCondition, figures: IndexFigures): boolean {
  const kind = kindOf(name);
  return kind !== undefined && figures[kind.figure] >= bound;
}

/** Every minimum and one maximum; no condition at all is met. */
export function areMet(conditions: readonly RolloverCondition[], figures: IndexFigures): boolean {
  if (conditions.length === 0) return true;
  const minima = conditions.filter(({ name }) => name.startsWith('min_'));
  const maxima = conditions.filter(({ name }) => name.startsWith('max_'));
  return minima.every((each) => isMet(each, figures)) && maxima.some((each) => isMet(each, figures));
}
