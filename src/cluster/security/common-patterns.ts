/** What two patterns with `*` have in common, as filters of sources need it. Few requests do: it is loaded with those. */
import { simpleMatch } from '../../mapping/wildcard.js';

/** Steps that may still be taken: patterns with many asterisks have very many in common. */
export interface PatternBudget {
  steps: number;
}

/** Patterns that together match what both match; undefined where the budget does not suffice. */
export function commonPatterns(left: string, right: string, budget: PatternBudget): readonly string[] | undefined {
  const simple = simpleCommon(left, right) ?? simpleCommon(right, left);
  if (simple !== undefined) return simple;
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

/** Of names, and of patterns that say how names begin. */
function simpleCommon(left: string, right: string): readonly string[] | undefined {
  if (!left.includes('*')) return simpleMatch(right, left) ? [left] : [];
  if (!isBeginning(left) || !isBeginning(right)) return undefined;
  const [beginning, other] = [left.slice(0, -1), right.slice(0, -1)];
  if (beginning.startsWith(other)) return [left];
  return other.startsWith(beginning) ? [right] : [];
}

function isBeginning(pattern: string): boolean {
  return pattern.endsWith('*') && pattern.indexOf('*') === pattern.length - 1;
}

/** The asterisk stands for nothing more, or for the next character of the other. */
function pushStarred(open: [string, string, string][], made: string, starred: string, plain: string): void {
  open.push([made, starred.slice(1), plain]);
  if (plain !== '') open.push([made + plain.charAt(0), starred, plain.slice(1)]);
}
