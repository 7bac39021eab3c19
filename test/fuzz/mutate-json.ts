/** Plain data made slightly wrong: values, names and whole parts of requests change places. */
import type { Chance } from '../../bench/compare/chance.js';
import { isArray, isObject, type Json, type JsonObject } from '../../bench/json.js';

type Step = string | number;
type Path = readonly Step[];

/** Values where numbers, sizes and texts go wrong. */
const EDGES: readonly Json[] = [
  ...[null, true, false, 0, -1, 1, 0.5, -0.001, 255, 256, 10_000, 10_001, 65_536, 1_000_001],
  ...[2 ** 31 - 1, 2 ** 31, -(2 ** 31), 2 ** 53, -(2 ** 53) - 2, 1e19, 1e308, 5e-324],
  ...['', ' ', '*', '**', '.', '..', '_id', '_source', '_doc', '_score', '\u0000', '\ud83d', '😀', 'a'.repeat(300)],
  ...[
    '1',
    '-1',
    '1e9',
    'NaN',
    'Infinity',
    'now',
    'now-1d/d',
    'now+1000000000y',
    '9999-99-99',
    '2024-02-30',
    '1ns',
    '-5m',
  ],
  ...['50%', '-101%', '2<75%', '1<-1 3<50%', '/a(b|c)*/', '[(', '.*.*.*', 'a~2', '"', '(((', '+-', 'title:', 'AND'],
  ...['::1', '10.0.0.0/33', 'u33d', '91,181', 'POINT (1', 'POLYGON ((0 0, 1 1))'],
  ...[[], {}, [[]], [null], [{}], { '': {} }, { a: { a: { a: {} } } }],
];

const PAIRS_MAX = 400;

export class JsonMutator {
  /** Names and parts that were met in requests: those of one are put into another. */
  private readonly names: string[] = [];
  private readonly known = new Set<string>();
  private readonly parts: Json[] = [];

  /** Remembers what the request is made of. */
  learn(request: JsonObject): void {
    for (const path of pathsIn(request)) {
      const name = path.at(-1);
      if (typeof name === 'string' && !this.known.has(name)) {
        this.known.add(name);
        this.names.push(name);
      }
      const part = partAt(request, path);
      if (path.length > 0 && typeof part === 'object' && this.parts.length < PAIRS_MAX) this.parts.push(part);
    }
  }

  /** The request with one to four things changed. */
  mutate(request: JsonObject, chance: Chance): JsonObject {
    let value: Json = request;
    for (let times = chance.between(1, 4); times > 0; times--) value = this.changed(value, chance);
    return isObject(value) ? value : { query: value };
  }

  private changed(value: Json, chance: Chance): Json {
    const paths = pathsIn(value);
    const path = chance.pick(paths);
    const changed = replaced(value, path, (old) =>
      chance.one<Json | undefined>(
        () => chance.pick(EDGES),
        () => chance.pick(EDGES),
        () => (this.parts.length === 0 ? null : chance.pick(this.parts)),
        () => partAt(value, chance.pick(paths)),
        () => undefined,
        () => [old, old],
        () => ({ [this.name(chance)]: old }),
        () => this.renamed(old, chance),
        () => ({ ...(isObject(old) ? old : {}), [this.name(chance)]: chance.pick(EDGES) }),
        () => otherScalar(old, chance),
        () => otherScalar(old, chance),
      ),
    );
    return changed ?? null;
  }

  private name(chance: Chance): string {
    return this.names.length === 0 || chance.yes(0.1) ? 'unheard_of' : chance.pick(this.names);
  }

  private renamed(old: Json, chance: Chance): Json {
    if (!isObject(old)) return old;
    const names = Object.keys(old);
    if (names.length === 0) return { [this.name(chance)]: {} };
    const chosen = chance.pick(names);
    const renamed = this.name(chance);
    return Object.fromEntries(Object.entries(old).map(([name, part]) => [name === chosen ? renamed : name, part]));
  }
}

function otherScalar(old: Json, chance: Chance): Json {
  if (typeof old === 'number') return chance.pick([-old, old + 1, old * 1_000, old / 3, Math.trunc(old), String(old)]);
  if (typeof old === 'boolean') return chance.pick<Json>([!old, String(old), 'yes', 1]);
  if (typeof old !== 'string') return chance.pick(EDGES);
  const at = chance.below(old.length + 1);
  const piece = chance.pick([
    '*',
    '?',
    '~',
    '^',
    '"',
    '(',
    ')',
    ':',
    '/',
    '\\',
    '.',
    ' ',
    '-',
    '[',
    '{',
    '<',
    '\u0000',
    '0',
  ]);
  return chance.one<Json>(
    () => old.slice(0, at) + piece + old.slice(at),
    () => old.slice(0, at),
    () => old + old,
    () => old.toUpperCase(),
    () => [old],
  );
}

/** Of the value itself and of all that is in it, in their order. */
function pathsIn(value: Json): Path[] {
  const found: Path[] = [];
  collectPaths(value, [], found);
  return found;
}

function collectPaths(value: Json, path: Path, found: Path[]): void {
  found.push(path);
  if (isArray(value)) {
    for (const [at, part] of value.entries()) collectPaths(part, [...path, at], found);
  } else if (isObject(value)) {
    for (const name of Object.keys(value)) collectPaths(value[name] ?? null, [...path, name], found);
  }
}

function partAt(value: Json, path: Path): Json {
  let found: Json = value;
  for (const step of path) {
    if (isArray(found) && typeof step === 'number') found = found[step] ?? null;
    else if (isObject(found)) found = found[step] ?? null;
    else return null;
  }
  return found;
}

/** `change` gives undefined where the value is left out. */
function replaced(value: Json, path: Path, change: (old: Json) => Json | undefined, depth = 0): Json | undefined {
  const step = path[depth];
  if (step === undefined) return change(value);
  if (isArray(value) && typeof step === 'number') {
    const part = replaced(value[step] ?? null, path, change, depth + 1);
    return part === undefined ? value.toSpliced(step, 1) : value.with(step, part);
  }
  if (!isObject(value)) return value;
  const members: Record<string, Json> = {};
  for (const name of Object.keys(value)) {
    const old = value[name] ?? null;
    const part = name === step ? replaced(old, path, change, depth + 1) : old;
    if (part !== undefined) members[name] = part;
  }
  return members;
}
