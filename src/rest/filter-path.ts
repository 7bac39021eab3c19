/**
 * `filter_path`: keeps, or with a leading minus drops, parts of an answer. Works on the JSON text itself, so that
 * numbers stay as they were written. `*` matches within one name, `**` any number of names; arrays are transparent.
 */
import { illegalArgument } from '../base/errors.js';
import { FILTER_PATHS_MAX } from '../base/limits.js';
import { JsonCursor } from './json-cursor.js';

/** Steps of a path; `**` stands for any number of names. */
type Path = readonly (RegExp | '**')[];

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
  return names.map((name) => (name === '**' ? name : wildcard(name)));
}

function wildcard(name: string): RegExp {
  const parts = name.split('*').map((part) => part.replace(/[.*+?^${}()|[\]\\]/g, '\\$&'));
  return new RegExp(`^${parts.join('.*')}$`, 's');
}

/** Where each path stands after the names walked so far; a path walked to its end is `matched`. */
interface Matching {
  readonly matched: boolean;
  readonly rests: readonly Path[];
}

function step(rests: readonly Path[], name: string): Matching {
  const next: Path[] = [];
  let matched = false;
  const follow = (path: Path): void => {
    const [first, ...rest] = path;
    if (first === '**') {
      if (rest.length === 0) matched = true;
      else {
        next.push(path);
        follow(rest);
      }
    } else if (first?.test(name) === true) {
      if (rest.length === 0) matched = true;
      else next.push(rest);
    }
  };
  for (const path of rests) follow(path);
  return { matched, rests: next };
}

class Walk extends JsonCursor {
  private readonly mode: 'include' | 'exclude';

  constructor(json: string, mode: 'include' | 'exclude') {
    super(json);
    this.mode = mode;
  }

  run(paths: readonly Path[]): string | undefined {
    return this.value(paths);
  }

  /** The kept text of the value here, undefined when nothing of it is kept; moves behind it. */
  private value(rests: readonly Path[]): string | undefined {
    this.skipSpace();
    const opening = this.json.charAt(this.at);
    if (opening === '{') return this.object(rests);
    if (opening === '[') return this.array(rests);
    const scalar = this.skipValue();
    return this.mode === 'include' ? undefined : scalar;
  }

  private object(rests: readonly Path[]): string | undefined {
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

  private array(rests: readonly Path[]): string | undefined {
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
