/**
 * `filter_path`: keeps, or with a leading minus drops, parts of an answer. Works on the JSON text itself, so that
 * numbers stay as they were written. `*` matches within one name, `**` any number of names; arrays are transparent.
 */
import { illegalArgument } from '../base/errors.js';
import { FILTER_PATHS_MAX } from '../base/limits.js';
import { patternMatcher } from '../cluster/names/wildcard.js';
import { JsonCursor } from './json-cursor.js';

/** Whether the step takes a name; `**` stands for any number of names, and never follows another `**`. */
type Step = ((name: string) => boolean) | '**';

type Path = readonly Step[];

export interface PathFilter {
  readonly includes: readonly Path[];
  readonly excludes: readonly Path[];
}

export function compileFilterPath(patterns: readonly string[]): PathFilter | undefined {
  if (patterns.length > FILTER_PATHS_MAX) {
    throw illegalArgument(`[filter_path] has [${patterns.length}] patterns, at most [${FILTER_PATHS_MAX}] are allowed`);
  }
  const includes: Path[] = [];
  const excludes: Path[] = [];
  for (const pattern of patterns) {
    if (pattern.startsWith('-')) excludes.push(compilePath(pattern.slice(1)));
    else if (pattern !== '') includes.push(compilePath(pattern));
  }
  return includes.length + excludes.length === 0 ? undefined : { includes, excludes };
}

/** The JSON text with the filter applied; `{}` when nothing is left. The text must be valid JSON. */
export function filterJson(json: string, filter: PathFilter): string {
  let filtered: string | undefined = json;
  if (filter.includes.length > 0) filtered = new Walk(json, 'include').run(filter.includes);
  if (filtered !== undefined && filter.excludes.length > 0)
    filtered = new Walk(filtered, 'exclude').run(filter.excludes);
  return filtered ?? '{}';
}

function compilePath(pattern: string): Path {
  // A backslash before a dot makes it part of the name.
  const names = pattern.split(/(?<!\\)\./).map((name) => name.replaceAll('\\.', '.'));
  const isRepeated = (name: string, at: number): boolean => name === '**' && names[at - 1] === '**';
  return names.filter((name, at) => !isRepeated(name, at)).map((name) => (name === '**' ? name : patternMatcher(name)));
}

/** Where the paths stand after the names walked so far: of each the steps that may come next, each once. */
type Standing = readonly { readonly path: Path; readonly at: ReadonlySet<number> }[];

interface Matching {
  /** Whether one of the paths was walked to its end. */
  readonly matched: boolean;
  readonly rests: Standing;
}

function start(paths: readonly Path[]): Standing {
  return paths.map((path) => ({ path, at: new Set([0]) }));
}

/** Steps are walked side by side, each once: there are at most about twice as many at a time as names were walked. */
function step(standing: Standing, name: string): Matching {
  const rests: { path: Path; at: ReadonlySet<number> }[] = [];
  let matched = false;
  for (const { path, at } of standing) {
    const next = new Set<number>();
    const take = (place: number): void => {
      if (place === path.length) matched = true;
      else next.add(place);
    };
    for (const place of at) {
      const first = path[place];
      if (first !== '**') {
        if (first?.(name) === true) take(place + 1);
        continue;
      }
      const following = path[place + 1];
      if (following === undefined) matched = true;
      else next.add(place);
      if (typeof following === 'function' && following(name)) take(place + 2);
    }
    if (next.size > 0) rests.push({ path, at: next });
  }
  return { matched, rests };
}

class Walk extends JsonCursor {
  private readonly mode: 'include' | 'exclude';

  constructor(json: string, mode: 'include' | 'exclude') {
    super(json);
    this.mode = mode;
  }

  run(paths: readonly Path[]): string | undefined {
    return this.value(start(paths));
  }

  /** The kept text of the value here, undefined when nothing of it is kept; moves behind it. */
  private value(rests: Standing): string | undefined {
    this.skipSpace();
    const opening = this.json.charAt(this.at);
    if (opening === '{') return this.object(rests);
    if (opening === '[') return this.array(rests);
    const scalar = this.skipValue();
    return this.mode === 'include' ? undefined : scalar;
  }

  private object(rests: Standing): string | undefined {
    const kept: string[] = [];
    let memberCount = 0;
    this.at++;
    for (;;) {
      this.skipSpace();
      if (this.take('}')) break;
      if (this.take(',')) continue;
      memberCount++;
      const quotedName = this.skipValue();
      this.skipSpace();
      this.at++; // the colon
      const text = this.member(step(rests, JSON.parse(quotedName) as string));
      if (text !== undefined) kept.push(`${quotedName}:${text}`);
    }
    return kept.length > 0 || this.keepsEmpty(memberCount) ? `{${kept.join(',')}}` : undefined;
  }

  private member(matching: Matching): string | undefined {
    if (matching.matched) {
      const text = this.skipValue();
      return this.mode === 'include' ? text : undefined;
    }
    if (matching.rests.length > 0) return this.value(matching.rests);
    const text = this.skipValue();
    return this.mode === 'include' ? undefined : text;
  }

  private array(rests: Standing): string | undefined {
    const kept: string[] = [];
    let itemCount = 0;
    this.at++;
    for (;;) {
      this.skipSpace();
      if (this.take(']')) break;
      if (this.take(',')) continue;
      itemCount++;
      const text = this.value(rests);
      if (text !== undefined) kept.push(text);
    }
    return kept.length > 0 || this.keepsEmpty(itemCount) ? `[${kept.join(',')}]` : undefined;
  }

  /** What was empty before stays when excluding; what became empty goes. */
  private keepsEmpty(countBefore: number): boolean {
    return this.mode === 'exclude' && countBefore === 0;
  }
}
