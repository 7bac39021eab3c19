/** Versions of the software, `major.minor.patch`. */

/** Below 0 when `left` is older. What is no number counts as 0. */
export function compareVersions(left: string, right: string): number {
  const numbers = (version: string): readonly number[] => version.split(/[.-]/).map((part) => Number(part) || 0);
  const [a, b] = [numbers(left), numbers(right)];
  for (let at = 0; at < 3; at++) {
    const difference = (a[at] ?? 0) - (b[at] ?? 0);
    if (difference !== 0) return difference;
  }
  return 0;
}
