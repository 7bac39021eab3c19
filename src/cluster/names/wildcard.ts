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

/** Names that stand for many, as patterns do. */
const COLLECTIVE: ReadonlySet<string> = new Set(['_all', '_current']);

/** Tells of each of a list of names whether it leaves out: `-name` after something that stands for many. Before that it is a name. */
export function exclusionsIn(names: readonly string[]): (name: string, at: number) => boolean {
  const first = names.findIndex((name) => COLLECTIVE.has(name) || isPattern(name));
  return (name, at) => first !== -1 && at > first && name.length > 1 && name.startsWith('-');
}

/** A list of names without those that leave out, and what these leave out. */
export function withoutExclusions(names: readonly string[]): {
  readonly wanted: readonly string[];
  readonly unwanted: readonly string[];
} {
  const isExclusion = exclusionsIn(names);
  return {
    wanted: names.filter((name, at) => !isExclusion(name, at)),
    unwanted: names.filter(isExclusion).map((name) => name.slice(1)),
  };
}

/** Whether the text matches one of the patterns. */
export function matchesAny(patterns: readonly string[], text: string): boolean {
  return patterns.some((pattern) => patternMatcher(pattern)(text));
}

/** Whether some text matches both patterns. The time is the product of their lengths. */
export function patternsOverlap(left: string, right: string): boolean {
  // `reached[j]`: what was taken of `left` so far and the first `j` characters of `right` can be one text.
  let reached = startOf(right);
  for (const character of left) {
    const next: boolean[] = [character === '*' && reached[0] === true];
    for (let at = 0; at < right.length; at++) {
      const other = right[at];
      const isEither = character === '*' || other === '*';
      const skipsOne = isEither && (next[at] === true || reached[at + 1] === true);
      next.push(skipsOne || ((isEither || character === other) && reached[at] === true));
    }
    reached = withStars(next, right);
  }
  return reached[right.length] === true;
}

/** A star may stand for nothing. */
function startOf(pattern: string): readonly boolean[] {
  return withStars([true, ...Array.from(pattern, () => false)], pattern);
}

function withStars(reached: readonly boolean[], pattern: string): readonly boolean[] {
  const closed = [...reached];
  for (let at = 0; at < pattern.length; at++) {
    if (pattern[at] === '*' && closed[at] === true) closed[at + 1] = true;
  }
  return closed;
}
