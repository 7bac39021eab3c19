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

type Break = (body: JsonObject, chance: Chance) => BrokenRequest | undefined;

/** Changes one of the values that are fit for it. */
function oneOf(
  body: JsonObject,
  chance: Chance,
  fits: (value: Json, path: readonly Step[]) => boolean,
  change: (old: Json, path: readonly Step[]) => Json | undefined,
): { readonly body: JsonObject; readonly path: readonly Step[] } | undefined {
  const paths = [...pathsIn(body)].filter((path) => path.length > 0 && fits(at(body, ...path) ?? null, path));
  if (paths.length === 0) return undefined;
  const path = chance.pick(paths);
  return { body: replaced(body, path, (old) => change(old, path)) as JsonObject, path };
}

const lastName = (path: readonly Step[]): string => path.findLast((step) => typeof step === 'string') ?? '';

const takesOptions = (value: Json, path: readonly Step[]): boolean =>
  isObject(value) && !FREE.has(String(path.at(-1))) && !path.some((step) => step === 'script');

const BREAKS: Readonly<Record<string, Break>> = {
  'unknown option': (body, chance) => {
    const found = oneOf(body, chance, takesOptions, (old) => ({ ...(old as JsonObject), [UNKNOWN]: 1 }));
    return found && { body: found.body, how: 'unknown option', named: UNKNOWN };
  },
  'unknown part': (body) => ({ body: { ...body, [UNKNOWN]: 1 }, how: 'unknown part', named: UNKNOWN }),
  'unknown name': (body, chance) => {
    const names = ['query', 'filter', 'a', 'b', 'positive', 'rescore_query'];
    const isNamed = (value: Json, path: readonly Step[]): boolean =>
      isObject(value) && Object.keys(value).length > 0 && names.includes(String(path.at(-1)));
    const renamed = (old: Json): Json => {
      const [[, inner] = ['', {}], ...rest] = Object.entries(old as JsonObject);
      return { [UNKNOWN]: inner, ...Object.fromEntries(rest) };
    };
    const found = oneOf(body, chance, isNamed, renamed);
    return found && { body: found.body, how: 'unknown name', named: UNKNOWN };
  },
  'object for a scalar': (body, chance) => {
    const isScalar = (value: Json): boolean => typeof value === 'number' || typeof value === 'boolean';
    const found = oneOf(body, chance, isScalar, () => ({ [UNKNOWN]: {} }));
    return found && { body: found.body, how: 'object for a scalar' };
  },
  'text for a number': (body, chance) => {
    const found = oneOf(
      body,
      chance,
      (value) => typeof value === 'number',
      () => UNKNOWN,
    );
    return found && { body: found.body, how: 'text for a number', named: UNKNOWN };
  },
  'text for a truth value': (body, chance) => {
    const found = oneOf(
      body,
      chance,
      (value) => typeof value === 'boolean',
      () => UNKNOWN,
    );
    return found && { body: found.body, how: 'text for a truth value', named: UNKNOWN };
  },
  'list for a value': (body, chance) => {
    const found = oneOf(
      body,
      chance,
      (value) => !isArray(value) && !isObject(value),
      (old) => [[old], [old]],
    );
    return found && { body: found.body, how: 'list for a value' };
  },
  'number for an object': (body, chance) => {
    const found = oneOf(
      body,
      chance,
      (value, path) => isObject(value) && path.at(-1) !== 'params',
      () => 7,
    );
    return found && { body: found.body, how: 'number for an object' };
  },
  'nothing for a value': (body, chance) => {
    const found = oneOf(
      body,
      chance,
      () => true,
      () => null,
    );
    return found && { body: found.body, how: 'nothing for a value' };
  },
  'left out': (body, chance) => {
    const isOption = (_value: Json, path: readonly Step[]): boolean => typeof path.at(-1) === 'string';
    const found = oneOf(body, chance, isOption, () => undefined);
    return found && { body: found.body, how: 'left out' };
  },
  'less than nothing': (body, chance) => {
    const found = oneOf(
      body,
      chance,
      (value) => typeof value === 'number' && value > 0,
      () => -7,
    );
    return found && { body: found.body, how: 'less than nothing' };
  },
  'too much': (body, chance) => {
    const found = oneOf(
      body,
      chance,
      (value) => typeof value === 'number',
      () => 98_765_432_109,
    );
    return found && { body: found.body, how: 'too much' };
  },
  'another word': (body, chance) => {
    const isChoice = (value: Json, path: readonly Step[]): boolean =>
      typeof value === 'string' && !['field', 'query', 'source', 'path'].includes(lastName(path));
    const found = oneOf(body, chance, isChoice, () => UNKNOWN);
    return found && { body: found.body, how: 'another word', named: UNKNOWN };
  },
  'bad pattern': (body, chance) => {
    const found = oneOf(
      body,
      chance,
      (value, path) => typeof value === 'string' && path.includes('regexp'),
      () => '[(',
    );
    return found && { body: found.body, how: 'bad pattern' };
  },
};

/** A request with one thing wrong; undefined where nothing of it can be broken in the way that chance has chosen. */
export function brokenRequest(body: JsonObject, chance: Chance): BrokenRequest | undefined {
  return chance.pick(Object.values(BREAKS))(body, chance);
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
