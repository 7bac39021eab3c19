/** Rules of roles that let fields through: names and patterns with `*`, as they are given, and as filters of sources need them. */
import type { FieldSecurity } from './role-descriptor.js';

/** A rule says of whole names. What an exception names hides all that lies below it as well. */
export function isLetThrough({ grant, except = [] }: FieldSecurity, name: string): boolean {
  if (!grant.some((pattern) => matchesName(pattern, name))) return false;
  return !around(name).some((each) => except.some((pattern) => matchesName(pattern, each)));
}

/** The name, and those of the objects that it may lie in. */
function around(name: string): readonly string[] {
  const parts = name.split('.');
  return parts.map((_, at) => parts.slice(0, at + 1).join('.'));
}

export function matchesName(pattern: string, name: string): boolean {
  const parts = pattern.split('*');
  const [first = '', ...others] = parts;
  const last = others.pop();
  if (last === undefined) return pattern === name;
  if (!name.startsWith(first) || !name.endsWith(last) || name.length < first.length + last.length) return false;
  const end = name.length - last.length;
  let at = first.length;
  for (const part of others) {
    const found = name.indexOf(part, at);
    if (found === -1 || found + part.length > end) return false;
    at = found + part.length;
  }
  return true;
}

/** Steps that may still be taken: patterns with many asterisks have very many in common. */
export interface PatternBudget {
  steps: number;
}

/** Patterns that together match what both match; undefined where the budget does not suffice. */
export function commonPatterns(left: string, right: string, budget: PatternBudget): readonly string[] | undefined {
  const found = new Set<string>();
  const open: [string, string, string][] = [['', left, right]];
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    const [made, one, other] = next;
    if (--budget.steps < 0) return undefined;
    if (one === '' && other === '') found.add(made.replace(/\*+/g, '*'));
    else if (one.startsWith('*') && other.startsWith('*')) {
      open.push([`${made}*`, one.slice(1), other], [`${made}*`, one, other.slice(1)]);
    } else if (one.startsWith('*')) pushStarred(open, made, one, other);
    else if (other.startsWith('*')) pushStarred(open, made, other, one);
    else if (one !== '' && one.charAt(0) === other.charAt(0)) {
      open.push([made + one.charAt(0), one.slice(1), other.slice(1)]);
    }
  }
  return [...found];
}

/** The asterisk stands for nothing more, or for the next character of the other. */
function pushStarred(open: [string, string, string][], made: string, starred: string, plain: string): void {
  open.push([made, starred.slice(1), plain]);
  if (plain !== '') open.push([made + plain.charAt(0), starred, plain.slice(1)]);
}
