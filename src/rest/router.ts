/** Path to route: a tree of segments, literal ones before parts in braces. */
import { illegalArgument } from '../base/errors.js';
import { PATH_SEGMENTS_MAX } from '../base/limits.js';
import { Memo } from '../base/memo.js';
import { absentFamily, type AbsentFamily } from './absent-endpoints.js';
import type { HttpMethod } from './endpoint.js';
import { decodeComponent } from './query-string.js';

export interface RoutePath {
  readonly method: HttpMethod;
  readonly path: string;
}

export type RouteMatch<Route> =
  | { readonly kind: 'found'; readonly route: Route; readonly parts: Readonly<Record<string, string>> }
  | { readonly kind: 'wrong_method'; readonly allowed: readonly HttpMethod[] }
  | { readonly kind: 'absent'; readonly family: AbsentFamily }
  | { readonly kind: 'unknown_path' };

interface TreeNode<Route> {
  readonly literals: Map<string, TreeNode<Route>>;
  wildcard: TreeNode<Route> | undefined;
  /** By method; with the names of the parts in braces, in order. */
  readonly routes: Map<string, { readonly route: Route; readonly names: readonly string[] }>;
}

/** Paths in many requests are few. */
const RECENT_MAX = 512;
const RECENT_PATH_MAX = 256;

export class Router<Route extends RoutePath> {
  private readonly root: TreeNode<Route> = emptyNode();
  /** What was found of late, by method and path. */
  private readonly recent = new Memo<RouteMatch<Route>>(RECENT_MAX, RECENT_PATH_MAX);

  constructor(routes: readonly Route[]) {
    for (const route of routes) this.add(route);
  }

  /** `path` is as sent, without the query string; literal segments are compared undecoded. */
  match(method: string, path: string): RouteMatch<Route> {
    return this.recent.get(`${method} ${path}`, () => this.search(method, path));
  }

  private search(method: string, path: string): RouteMatch<Route> {
    const segments = splitPath(path);
    if (segments.length > PATH_SEGMENTS_MAX) return { kind: 'unknown_path' };
    const others: Route[] = [];
    const found = this.find(this.root, method, segments, 0, [], others);
    const meant = found?.kind === 'found' ? [found.route] : others;
    const paths = meant.map(({ path }) => path);
    const family = absentFamily(method, segments, paths, found !== undefined);
    if (family !== undefined) return { kind: 'absent', family };
    if (found !== undefined) return found;
    const allowed = [...new Set(others.map((route) => route.method))].sort();
    return allowed.length > 0 ? { kind: 'wrong_method', allowed } : { kind: 'unknown_path' };
  }

  private add(route: Route): void {
    let node = this.root;
    const names: string[] = [];
    for (const segment of splitPath(route.path)) {
      if (segment.startsWith('{')) {
        names.push(segment.slice(1, -1));
        node = node.wildcard ??= emptyNode();
      } else {
        const next = node.literals.get(segment) ?? emptyNode<Route>();
        node.literals.set(segment, next);
        node = next;
      }
    }
    if (node.routes.has(route.method)) throw illegalArgument(`route [${route.method} ${route.path}] is defined twice`);
    node.routes.set(route.method, { route, names });
  }

  private find(
    node: TreeNode<Route>,
    method: string,
    segments: readonly string[],
    depth: number,
    values: readonly string[],
    others: Route[],
  ): RouteMatch<Route> | undefined {
    const segment = segments[depth];
    if (segment === undefined) {
      const entry = node.routes.get(method);
      if (entry !== undefined) return { kind: 'found', route: entry.route, parts: nameParts(entry.names, values) };
      for (const { route } of node.routes.values()) others.push(route);
      return undefined;
    }
    const literal = node.literals.get(segment);
    const found = literal && this.find(literal, method, segments, depth + 1, values, others);
    if (found !== undefined || node.wildcard === undefined) return found;
    return this.find(node.wildcard, method, segments, depth + 1, [...values, segment], others);
  }
}

function emptyNode<Route>(): TreeNode<Route> {
  return { literals: new Map(), wildcard: undefined, routes: new Map() };
}

function splitPath(path: string): readonly string[] {
  return path.split('/').filter((segment) => segment !== '');
}

function nameParts(names: readonly string[], values: readonly string[]): Readonly<Record<string, string>> {
  return Object.fromEntries(names.map((name, at) => [name, decodeComponent(values[at] ?? '', false)]));
}
