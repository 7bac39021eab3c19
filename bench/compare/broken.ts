/** Good requests with one thing wrong, for which both servers have to say no, and Quarry where. */
import { at, isArray, isObject, type Json, type JsonObject } from '../json.js';
import type { Chance } from './chance.js';
import type { Difference, SearchAnswer } from './difference.js';

export interface BrokenRequest {
  readonly body: JsonObject;
  /** What was done, in a word. */
  readonly how: string;
  /** What an error has to name; undefined where there is nothing to be named. */
  readonly named?: string;
}

type Step = string | number;

const UNKNOWN = 'unheard_of';

/** Members whose names are chosen by whoever asks: anything may stand there. */
const FREE: ReadonlySet<string> = new Set(['params', 'aggs', 'fields', 'runtime_mappings', 'features', 'filters']);

/** The paths of all values within a request, those of free members left out. */
function* pathsIn(value: Json, path: readonly Step[] = []): Generator<readonly Step[]> {
  yield path;
  const members: readonly (readonly [Step, Json])[] = isArray(value)
    ? [...value.entries()]
    : isObject(value)
      ? Object.entries(value)
      : [];
  for (const [step, part] of members) if (step !== 'params') yield* pathsIn(part, [...path, step]);
}

function replaced(value: Json, path: readonly Step[], change: (old: Json) => Json | undefined): Json {
  const [step, ...rest] = path;
  if (step === undefined) return change(value) ?? null;
  if (isArray(value)) return value.map((each, place) => (place === step ? replaced(each, rest, change) : each));
  if (!isObject(value)) return value;
  const entries = Object.entries(value).flatMap(([name, part]): (readonly [string, Json])[] => {
    if (name !== step) return [[name, part]];
    if (rest.length > 0) return [[name, replaced(part, rest, change)]];
    const changed = change(part);
    return changed === undefined ? [] : [[name, changed]];
  });
  return Object.fromEntries(entries);
}

/** One way to break a request: values that it fits are changed, one of them. */
interface Break {
  readonly fits: (value: Json, path: readonly Step[]) => boolean;
  /** Undefined: the value is left out. */
  readonly change: (old: Json) => Json | undefined;
  /** What an error has to name. */
  readonly named?: string;
}

const takesOptions = (value: Json, path: readonly Step[]): boolean =>
  isObject(value) && !FREE.has(String(path.at(-1))) && !path.includes('script');

const lastName = (path: readonly Step[]): string => path.findLast((step) => typeof step === 'string') ?? '';

const isNumber = (value: Json): boolean => typeof value === 'number';
const isTruth = (value: Json): boolean => typeof value === 'boolean';
const unknown = (): Json => UNKNOWN;

const NAMED_PARTS: readonly Step[] = ['query', 'filter', 'a', 'b', 'positive', 'rescore_query'];

const BREAKS: Readonly<Record<string, Break>> = {
  'unknown option': {
    fits: takesOptions,
    change: (old) => ({ ...(old as JsonObject), [UNKNOWN]: 1 }),
    named: UNKNOWN,
  },
  'unknown name': {
    fits: (value, path) => isObject(value) && Object.keys(value).length > 0 && NAMED_PARTS.includes(path.at(-1) ?? ''),
    change: (old) => {
      const [[, inner] = ['', {}], ...rest] = Object.entries(old as JsonObject);
      return { [UNKNOWN]: inner, ...Object.fromEntries(rest) };
    },
    named: UNKNOWN,
  },
  'object for a scalar': {
    fits: (value) => isNumber(value) || isTruth(value),
    change: () => ({ [UNKNOWN]: {} }),
  },
  'text for a number': { fits: isNumber, change: unknown, named: UNKNOWN },
  'text for a truth value': { fits: isTruth, change: unknown, named: UNKNOWN },
  'list for a value': { fits: (value) => !isArray(value) && !isObject(value), change: (old) => [[old], [old]] },
  'number for an object': { fits: (value, path) => isObject(value) && path.at(-1) !== 'params', change: () => 7 },
  'nothing for a value': { fits: () => true, change: () => null },
  'left out': { fits: (_value, path) => typeof path.at(-1) === 'string', change: () => undefined },
  'less than nothing': { fits: (value) => typeof value === 'number' && value > 0, change: () => -7 },
  'too much': { fits: isNumber, change: () => 98_765_432_109 },
  'another word': {
    fits: (value, path) => typeof value === 'string' && !['field', 'query', 'source', 'path'].includes(lastName(path)),
    change: unknown,
    named: UNKNOWN,
  },
  'bad pattern': { fits: (value, path) => typeof value === 'string' && path.includes('regexp'), change: () => '[(' },
};

const UNKNOWN_PART = 'unknown part';
const WAYS = [...Object.keys(BREAKS), UNKNOWN_PART];

/** A request with one thing wrong; undefined where nothing of it can be broken in the way that chance has chosen. */
export function brokenRequest(body: JsonObject, chance: Chance): BrokenRequest | undefined {
  const how = chance.pick(WAYS);
  const way = BREAKS[how];
  // A part of the request itself, which the paths of values leave out.
  if (way === undefined) return { body: { ...body, [UNKNOWN]: 1 }, how, named: UNKNOWN };
  const { fits, change, named } = way;
  const paths = [...pathsIn(body)].filter((path) => path.length > 0 && fits(at(body, ...path) ?? null, path));
  if (paths.length === 0) return undefined;
  const broken = replaced(body, chance.pick(paths), change) as JsonObject;
  return { body: broken, how, ...(named === undefined ? {} : { named }) };
}

/** Where both refuse a request: whether Quarry's error tells what is wrong with it. */
export function untold({ named }: BrokenRequest, ours: SearchAnswer, theirs: SearchAnswer): Difference | undefined {
  if (ours.status !== 400 || named === undefined) return undefined;
  const [own, other] = [JSON.stringify(ours.body), JSON.stringify(theirs.body)];
  const isTold = own.includes(named) || !other.includes(named);
  const isPlaced = /"line":|\[\d+:\d+\]/.test(own) || !other.includes('"line":');
  if (isTold && isPlaced) return undefined;
  return { kind: `error without the ${isTold ? 'place' : 'name'}`, ours: errorOf(ours), theirs: errorOf(theirs) };
}

const errorOf = ({ body }: SearchAnswer): Json => at(body, 'error', 'root_cause', 0) ?? at(body, 'error') ?? null;
