/** Path to route: a tree of segments, literal ones before parts in braces. */
import { illegalArgument } from '../base/errors.js';
import { PATH_SEGMENTS_MAX } from '../base/limits.js';
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
  /** By method. */
  readonly routes: Map<string, Entry<Route>>;
}

interface Entry<Route> {
  readonly route: Route;
  /** Those in braces: their names, and which segments they are. */
  readonly parts: readonly { readonly name: string; readonly at: number }[];
}

export class Router<Route extends RoutePath> {
  private readonly root: TreeNode<Route> = emptyNode();

  constructor(routes: readonly Route[]) {
    for (const route of routes) this.add(route);
  }

  /** `path` is as sent, without the query string; literal segments are compared undecoded. */
  match(method: string, path: string): RouteMatch<Route> {
    const segments = splitPath(path);
    if (segments.length > PATH_SEGMENTS_MAX) return { kind: 'unknown_path' };
    const found = find(this.root, method, segments, 0);
    const others: Route[] = [];
    if (found === undefined) collect(this.root, segments, 0, others);
    const family = absentFamily(method, segments, found === undefined ? others : [found.route], found !== undefined);
    if (family !== undefined) return { kind: 'absent', family };
    if (found !== undefined) return { kind: 'found', route: found.route, parts: partsOf(found, segments) };
    const allowed = [...new Set(others.map((route) => route.method))].sort();
    return allowed.length > 0 ? { kind: 'wrong_method', allowed } : { kind: 'unknown_path' };
  }

  private add(route: Route): void {
    let node = this.root;
    const parts: { readonly name: string; readonly at: number }[] = [];
    for (const [at, segment] of splitPath(route.path).entries()) {
      if (segment.startsWith('{')) {
        parts.push({ name: segment.slice(1, -1), at });
        node = node.wildcard ??= emptyNode();
      } else {
        const next = node.literals.get(segment) ?? emptyNode<Route>();
        node.literals.set(segment, next);
        node = next;
      }
    }
    if (node.routes.has(route.method)) throw illegalArgument(`route [${route.method} ${route.path}] is defined twice`);
    node.routes.set(route.method, { route, parts });
  }
}

/** Where segments may lead along several ways, literal ones are tried first. */
function find<Route>(
  node: TreeNode<Route>,
  method: string,
  segments: readonly string[],
  depth: number,
): Entry<Route> | undefined {
  const segment = segments[depth];
  if (segment === undefined) return node.routes.get(method);
  const literal = node.literals.get(segment);
  const found = literal && find(literal, method, segments, depth + 1);
  return found ?? (node.wildcard && find(node.wildcard, method, segments, depth + 1));
}

/** The routes of all methods, in the order in which {@link find} comes to them. */
function collect<Route>(node: TreeNode<Route>, segments: readonly string[], depth: number, routes: Route[]): void {
  const segment = segments[depth];
  if (segment === undefined) {
    for (const { route } of node.routes.values()) routes.push(route);
    return;
  }
  const literal = node.literals.get(segment);
  if (literal !== undefined) collect(literal, segments, depth + 1, routes);
  if (node.wildcard !== undefined) collect(node.wildcard, segments, depth + 1, routes);
}

function emptyNode<Route>(): TreeNode<Route> {
  return { literals: new Map(), wildcard: undefined, routes: new Map() };
}

/** Without the empty ones. */
function splitPath(path: string): readonly string[] {
  const segments: string[] = [];
  let from = 0;
  while (from < path.length) {
    const slash = path.indexOf('/', from);
    const end = slash === -1 ? path.length : slash;
    if (end > from) segments.push(path.slice(from, end));
    from = end + 1;
  }
  return segments;
}

function partsOf<Route>({ parts }: Entry<Route>, segments: readonly string[]): Readonly<Record<string, string>> {
  const values: Record<string, string> = {};
  for (const { name, at } of parts) values[name] = decodeComponent(segments[at] ?? '', false);
  return values;
}
