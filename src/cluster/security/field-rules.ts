/** Rules of roles that let fields through: names and patterns with `*`. */
import { simpleMatch } from '../../mapping/wildcard.js';
import type { FieldSecurity } from './role-descriptor.js';

/** A rule says of whole names. What an exception names hides all that lies below it as well. */
export function isLetThrough(rule: FieldSecurity, name: string): boolean {
  return rule.grant.some((pattern) => simpleMatch(pattern, name)) && !isExcepted(rule, name);
}

export function isExcepted({ except = [] }: FieldSecurity, name: string): boolean {
  return around(name).some((each) => except.some((pattern) => simpleMatch(pattern, each)));
}

/** Whether an exception may hide something that lies below the name. */
export function exceptsBelow({ except = [] }: FieldSecurity, name: string): boolean {
  const below = `${name}.`;
  return except.some((pattern) => {
    const end = pattern.indexOf('*');
    if (end === -1) return pattern.startsWith(below);
    const beginning = pattern.slice(0, end);
    return beginning.startsWith(below) || below.startsWith(beginning);
  });
}

/** The name, and those of the objects that it may lie in. */
export function around(name: string): readonly string[] {
  const parts = name.split('.');
  return parts.map((_, at) => parts.slice(0, at + 1).join('.'));
}
