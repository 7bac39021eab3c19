/**
 * Maps that are never changed, and whose next version costs little: it shares what did not change with the one before.
 *
 * A large table lies below; what was put or removed since lies over it, in a small one that each version has of its own. When that has
 * grown to the root of the large one's size, both become a new large one. So a change costs about the root of the size, and a look-up two
 * of those of a plain map. Entries keep the order in which they came; one that was removed and comes back may have its former place.
 */

/** In the place of a value: the entry below is no more. */
const GONE = Symbol('gone');

type Layer<Value> = ReadonlyMap<string, Value | typeof GONE>;

/** With so few entries on top, or in all, nothing is gained by another table below. */
const LAYER_MIN = 32;

class SharedMap<Value> implements ReadonlyMap<string, Value> {
  readonly size: number;
  readonly below: ReadonlyMap<string, Value>;
  readonly above: Layer<Value>;

  constructor(below: ReadonlyMap<string, Value>, above: Layer<Value>, size: number) {
    this.below = below;
    this.above = above;
    this.size = size;
  }

  get(key: string): Value | undefined {
    const value = this.above.get(key);
    if (value === undefined) return this.below.get(key);
    return value === GONE ? undefined : value;
  }

  has(key: string): boolean {
    const value = this.above.get(key);
    return value === undefined ? this.below.has(key) : value !== GONE;
  }

  *entries(): MapIterator<[string, Value]> {
    for (const entry of this.below) {
      const [key] = entry;
      const value = this.above.get(key);
      if (value === undefined) yield entry;
      else if (value !== GONE) yield [key, value];
    }
    for (const [key, value] of this.above) if (value !== GONE && !this.below.has(key)) yield [key, value];
  }

  *keys(): MapIterator<string> {
    for (const key of this.below.keys()) if (this.above.get(key) !== GONE) yield key;
    for (const [key, value] of this.above) if (value !== GONE && !this.below.has(key)) yield key;
  }

  *values(): MapIterator<Value> {
    for (const [, value] of this.entries()) yield value;
  }

  forEach(visit: (value: Value, key: string, map: ReadonlyMap<string, Value>) => void): void {
    for (const [key, value] of this.entries()) visit(value, key, this);
  }

  [Symbol.iterator](): MapIterator<[string, Value]> {
    return this.entries();
  }
}

/** Whether it is a map, of either kind. */
export function isAnyMap(value: unknown): value is ReadonlyMap<string, unknown> {
  return value instanceof Map || value instanceof SharedMap;
}

/** The same entries in a map that may be sent to another thread. */
export function plainMap<Value>(map: ReadonlyMap<string, Value>): ReadonlyMap<string, Value> {
  return map instanceof SharedMap ? new Map(map) : map;
}

/** The map after some entries were put and others removed. Values are anything but `undefined`. */
export function withEntries<Value extends object>(
  map: ReadonlyMap<string, Value>,
  put: Iterable<readonly [string, Value]>,
  removed: Iterable<string> = [],
): ReadonlyMap<string, Value> {
  const below = map instanceof SharedMap ? (map as SharedMap<Value>).below : map;
  const above = new Map<string, Value | typeof GONE>(map instanceof SharedMap ? (map as SharedMap<Value>).above : []);
  let { size } = map;
  const isThere = (key: string): boolean => {
    const value = above.get(key);
    return value === undefined ? below.has(key) : value !== GONE;
  };
  for (const key of removed) {
    if (!isThere(key)) continue;
    size--;
    if (below.has(key)) above.set(key, GONE);
    else above.delete(key);
  }
  for (const [key, value] of put) {
    if (!isThere(key)) size++;
    above.set(key, value);
  }
  const next = new SharedMap(below, above, size);
  const isWorthSharing = size > LAYER_MIN && above.size <= Math.max(LAYER_MIN, Math.sqrt(below.size));
  if (isWorthSharing) return next;
  const flat = new Map(next);
  if (size > LAYER_MIN) origins.set(flat, { below: new WeakRef(below), changed: [...above.keys()] });
  return flat;
}

/** How a large table differs from the one before it, as long as somebody has that. */
interface Origin {
  readonly below: WeakRef<object>;
  readonly changed: readonly string[];
}

const origins = new WeakMap<object, Origin>();

/** What makes one map of the other. */
export interface MapDifference<Value> {
  /** Entries that are new, or have another value. */
  readonly put: readonly (readonly [string, Value])[];
  readonly removed: readonly string[];
}

/** Costs little where one map was made of the other, or both of the same, a short while ago. */
export function differenceOf<Value>(
  before: ReadonlyMap<string, Value>,
  after: ReadonlyMap<string, Value>,
): MapDifference<Value> {
  if (before === after) return { put: [], removed: [] };
  const put: (readonly [string, Value])[] = [];
  const removed: string[] = [];
  const compare = (key: string): void => {
    const value = after.get(key);
    if (value === undefined) {
      if (before.has(key)) removed.push(key);
    } else if (before.get(key) !== value) put.push([key, value]);
  };
  const keys = keysThatMayDiffer(before, after);
  if (keys === undefined) {
    for (const [key, value] of after) if (before.get(key) !== value) put.push([key, value]);
    for (const key of before.keys()) if (!after.has(key)) removed.push(key);
  } else {
    for (const key of keys) compare(key);
  }
  return { put, removed };
}

/** Undefined where the maps have no table in common: any may then. */
function keysThatMayDiffer<Value>(
  before: ReadonlyMap<string, Value>,
  after: ReadonlyMap<string, Value>,
): Iterable<string> | undefined {
  const [first, second] = [layersOf(before), layersOf(after)];
  const between = first.below === second.below ? [] : keysBetween(first.below, second.below);
  return between === undefined ? undefined : new Set([...between, ...first.above.keys(), ...second.above.keys()]);
}

/** Of two tables of which one was made of the other. */
function keysBetween(first: object, second: object): readonly string[] | undefined {
  for (const [table, other] of [
    [first, second],
    [second, first],
  ] as const) {
    const origin = origins.get(table);
    if (origin?.below.deref() === other) return origin.changed;
  }
  return undefined;
}

function layersOf<Value>(map: ReadonlyMap<string, Value>): Pick<SharedMap<Value>, 'below' | 'above'> {
  return map instanceof SharedMap ? (map as SharedMap<Value>) : { below: map, above: new Map() };
}
