/** Simple patterns: `*` stands for any text. */

export function isPattern(text: string): boolean {
  return text.includes('*');
}

/** A function that tells whether a text matches the pattern. Linear in the text for each `*`. */
export function patternMatcher(pattern: string): (text: string) => boolean {
  const parts = pattern.split('*');
  const first = parts[0] ?? '';
  if (parts.length === 1) return (text) => text === pattern;
  const last = parts[parts.length - 1] ?? '';
  const middle = parts.slice(1, -1);
  return (text) => {
    if (text.length < first.length + last.length || !text.startsWith(first) || !text.endsWith(last)) return false;
    let at = first.length;
    for (const part of middle) {
      const found = text.indexOf(part, at);
      if (found < 0) return false;
      at = found + part.length;
    }
    return at <= text.length - last.length;
  };
}

/** Whether the text matches one of the patterns. */
export function matchesAny(patterns: readonly string[], text: string): boolean {
  return patterns.some((pattern) => patternMatcher(pattern)(text));
}
