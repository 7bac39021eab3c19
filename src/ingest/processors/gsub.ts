/** `gsub`: replaces what a pattern matches. */
import { LinearRegex, type Match } from '../../base/linear-regex.js';
import { illegalArgument, QuarryError } from '../../base/errors.js';
import { PRODUCED_MAX } from '../limits.js';
import { textProcessor } from './text-processor.js';

export const gsub = textProcessor('gsub', (options) => {
  const source = options.text('pattern');
  const replacement = replacementOf(options.text('replacement'));
  let pattern: LinearRegex;
  try {
    pattern = new LinearRegex(source);
  } catch (error) {
    if (error instanceof QuarryError) throw options.error('pattern', `Invalid regex pattern. ${error.message}`);
    throw error;
  }
  return (text) => {
    const parts: string[] = [];
    let [from, length] = [0, 0];
    for (const match of pattern.matches(text)) {
      const put = replacement(match, pattern);
      length += put.length;
      if (length > PRODUCED_MAX)
        throw illegalArgument(`replacements may not have more than [${PRODUCED_MAX}] characters`);
      parts.push(text.slice(from, match.start), put);
      from = match.end;
    }
    return parts.length === 0 ? text : parts.join('') + text.slice(from);
  };
});

/** `$1` and `${name}` stand for groups, `\$` for the sign. */
function replacementOf(text: string): (match: Match, pattern: LinearRegex) => string {
  const parts = [...text.matchAll(/\\(.)|\$(\d)|\$\{([A-Za-z]\w*)\}|[^\\$]+|[\\$]/gsu)];
  return (match, pattern) =>
    parts
      .map(([all, escaped, number, name]) => {
        if (escaped !== undefined) return escaped;
        if (number !== undefined) return group(match, Number(number));
        if (name !== undefined) return group(match, pattern.names[name] ?? NaN, name);
        if (all === '$' || all === '\\') throw illegalArgument('Illegal group reference');
        return all;
      })
      .join('');
}

function group(match: Match, number: number, name = String(number)): string {
  if (number < match.groups.length) return match.groups[number] ?? '';
  throw illegalArgument(`No group [${name}]`);
}
