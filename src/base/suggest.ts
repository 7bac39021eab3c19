/** "Did you mean": the known names nearest to an unknown one. */

/** Similarity of 0 to 1: one minus the edit distance over the longer length (Levenshtein). */
export function similarity(left: string, right: string): number {
  const longer = Math.max(left.length, right.length);
  return longer === 0 ? 1 : 1 - editDistance(left, right) / longer;
}

/** Names more similar than one half, the nearest first, equally near ones by name. */
export function nearestNames(unknown: string, known: Iterable<string>): readonly string[] {
  const scored: { name: string; score: number }[] = [];
  for (const name of known) {
    const score = similarity(unknown, name);
    if (score > 0.5) scored.push({ name, score });
  }
  scored.sort((a, b) => b.score - a.score || (a.name < b.name ? -1 : 1));
  return scored.map(({ name }) => name);
}

/** ` did you mean [x]?`, ` did you mean any of [x, y]?` or nothing, as the API ends sentences about names in bodies. */
export function didYouMeanOf(unknown: string, known: Iterable<string>): string {
  const names = nearestNames(unknown, known);
  if (names.length === 0) return '';
  return names.length === 1 ? ` did you mean [${names[0]}]?` : ` did you mean any of [${names.join(', ')}]?`;
}

/** As {@link didYouMeanOf} behind an arrow, as the API ends others. */
export function didYouMean(unknown: string, known: Iterable<string>): string {
  const hint = didYouMeanOf(unknown, known);
  return hint === '' ? '' : ` ->${hint}`;
}

function editDistance(left: string, right: string): number {
  let previous = Array.from({ length: right.length + 1 }, (_, column) => column);
  for (let row = 1; row <= left.length; row++) {
    const current = [row];
    for (let column = 1; column <= right.length; column++) {
      const substituted = (previous[column - 1] ?? 0) + (left[row - 1] === right[column - 1] ? 0 : 1);
      current.push(Math.min(substituted, (previous[column] ?? 0) + 1, (current[column - 1] ?? 0) + 1));
    }
    previous = current;
  }
  return previous[right.length] ?? 0;
}
