/** Replaces what a pattern matches, in the language of the reference's replacements: `$1`, `${name}`, `\$`. */
import { illegalArgument } from './errors.js';
import type { LinearRegex, Match } from './linear-regex.js';

/** Every match that does not overlap another. Throws `illegal_argument_exception` for a group that the pattern lacks. */
export function replaceMatches(pattern: LinearRegex, text: string, replacement: string): string {
  let replaced = '';
  let from = 0;
  for (const match of pattern.matches(text)) {
    replaced += text.slice(from, match.start) + expand(replacement, match, pattern.names);
    from = match.end;
  }
  return replaced + text.slice(from);
}

const PART = /\\(.)|\$\{(\w+)\}|\$(\d+)|\\$|\$/gsu;

function expand(replacement: string, match: Match, names: Readonly<Record<string, number>>): string {
  return replacement.replace(PART, (part, escaped?: string, name?: string, digits?: string) => {
    if (escaped !== undefined) return escaped;
    if (name !== undefined) return groupNamed(name, match, names);
    if (digits !== undefined) return groupNumbered(digits, match);
    throw illegalArgument(`[${part}] of the replacement [${replacement}] refers to nothing`);
  });
}

function groupNamed(name: string, match: Match, names: Readonly<Record<string, number>>): string {
  const number = names[name];
  if (number === undefined) throw illegalArgument(`the pattern has no group [${name}]`);
  return match.groups[number] ?? '';
}

/** As many digits as make the number of a group; those that follow stand for themselves. */
function groupNumbered(digits: string, { groups }: Match): string {
  let length = digits.length;
  while (length > 1 && Number(digits.slice(0, length)) >= groups.length) length--;
  const number = Number(digits.slice(0, length));
  if (number >= groups.length) throw illegalArgument(`the pattern has no group [${number}]`);
  return (groups[number] ?? '') + digits.slice(length);
}
