/** The filter of sources that shows what a request asks for of what may be read. */
import { CacheCounter } from '../../../base/cache-counters.js';
import type { QuarryError } from '../../../base/errors.js';
import { Memo } from '../../../base/memo.js';
import { commonPatterns, type PatternBudget } from '../../../cluster/security/common-patterns.js';
import type { FieldView } from '../../../cluster/security/field-view.js';
import type { SourceSpec } from '../../../native/bulk.js';
import { refusedToReader } from './refusal.js';

interface Filter {
  readonly includes?: readonly string[];
  readonly excludes?: readonly string[];
}

/** What it may take to make one filter of two, and all those of the documents that are read together. */
const STEPS_MAX = 20_000;
const COMPARISONS_MAX = 200_000;
const PATTERNS_MAX = 10_000;
/** Filters of one view, and how long they may be. */
const KEPT_FILTERS = { counter: new CacheCounter('source_filters'), valuesMax: 16, textMax: 4_096 };
/** No field has such a name: a filter without includes would show everything. */
const MATCHES_NOTHING = '..nothing';

export function filterBudget(): PatternBudget {
  return { steps: STEPS_MAX };
}

/** What the filter of the request lets through, and the rules as well. A pattern of a filter means all that lies below what it matches. */
export function readableFilter<Given extends Filter>(
  given: Given,
  view: FieldView,
  budget: PatternBudget = filterBudget(),
): Given {
  const own = filterOf(view);
  const asked = given.includes ?? [];
  const excludes = [...(given.excludes ?? []), ...own.excludes];
  const includes = own.includes === undefined ? asked : includesOf(asked, own.includes, view, budget);
  return { ...given, includes, excludes };
}

/** As {@link readableFilter}, of a document by id. */
export function readableSource(given: SourceSpec | undefined, view: FieldView, budget: PatternBudget): SourceSpec {
  if (given === false) return false;
  if (given === undefined || given === true) return readableFilter({}, view, budget);
  if (typeof given === 'string') return readableFilter({ includes: [given] }, view, budget);
  return readableFilter('length' in given ? { includes: given } : given, view, budget);
}

/** Without includes: everything but what is excluded. */
function filterOf(view: FieldView): { readonly includes?: readonly string[]; readonly excludes: readonly string[] } {
  const [either = [], ...others] = view.rules;
  const [rule, ...rules] = either;
  // What several rules make together is told field by field.
  if (rule === undefined || others.length + rules.length > 0) return { includes: view.sourceFields, excludes: [] };
  const { grant, except = [] } = rule;
  const excludes = except.flatMap((pattern) => (pattern.endsWith('*') ? [pattern] : [pattern, `${pattern}.*`]));
  if (grant.includes('*')) return { excludes };
  // A name grants the field of that name, and not what an object of that name holds.
  const wide = grant.filter((pattern) => pattern.endsWith('*'));
  return { includes: [...new Set([...wide, ...view.sourceFields])], excludes };
}

/** Null: it would take too long. */
const known = new WeakMap<FieldView, Memo<readonly string[] | null>>();

function includesOf(
  asked: readonly string[],
  own: readonly string[],
  view: FieldView,
  budget: PatternBudget,
): readonly string[] {
  let kept = known.get(view);
  if (kept === undefined) {
    kept = new Memo(KEPT_FILTERS);
    known.set(view, kept);
  }
  const isFresh = budget.steps === STEPS_MAX;
  const found = kept.get(JSON.stringify(asked), () => {
    const made = common(asked, own, budget);
    if (made === undefined && !isFresh) throw tooMany();
    return made ?? null;
  });
  if (found === null) throw tooMany();
  return found;
}

function tooMany(): QuarryError {
  return refusedToReader('the patterns of [_source] are too many together with those of field level security');
}

/** Undefined where it would take too long. */
function common(
  asked: readonly string[],
  own: readonly string[],
  budget: PatternBudget,
): readonly string[] | undefined {
  if (own.length === 0) return [MATCHES_NOTHING];
  if (asked.length === 0) return own;
  const found = new Set<string>();
  const lefts = asked.flatMap(withWhatIsBelow);
  const rights = own.flatMap(withWhatIsBelow);
  if (lefts.length * rights.length > COMPARISONS_MAX) return undefined;
  for (const left of lefts) {
    for (const right of rights) {
      const both = commonPatterns(left, right, budget);
      for (const pattern of both ?? []) found.add(pattern);
      if (both === undefined || found.size > PATTERNS_MAX) return undefined;
    }
  }
  return found.size === 0 ? [MATCHES_NOTHING] : [...found];
}

function withWhatIsBelow(pattern: string): readonly string[] {
  return pattern.endsWith('*') ? [pattern] : [pattern, `${pattern}.*`];
}
