/** The filter of sources that shows what a request asks for of what may be read. */
import { commonPatterns } from '../../../cluster/security/field-rules.js';
import type { FieldView } from '../../../cluster/security/field-view.js';
import type { SourceSpec } from '../../../native/bulk.js';
import { refusedToReader } from './refusal.js';

interface Filter {
  readonly includes?: readonly string[];
  readonly excludes?: readonly string[];
}

/** What it may take to make one filter of two. */
const STEPS_MAX = 1_000_000;
const PATTERNS_MAX = 10_000;
/** No field has such a name: a filter without includes would show everything. */
const NOTHING = '..nothing';

/** What the filter of the request lets through, and the rules as well. A pattern of a filter means all that lies below what it matches. */
export function readableFilter<Given extends Filter>(given: Given, view: FieldView): Given {
  const own = filterOf(view);
  const asked = given.includes ?? [];
  const excludes = [...(given.excludes ?? []), ...own.excludes];
  const includes = own.includes === undefined ? asked : common(asked, own.includes);
  return { ...given, includes, excludes };
}

/** As {@link readableFilter}, of a document by id. */
export function readableSource(given: SourceSpec | undefined, view: FieldView): SourceSpec {
  if (given === false) return false;
  if (given === undefined || given === true) return readableFilter({}, view);
  if (typeof given === 'string') return readableFilter({ includes: [given] }, view);
  return readableFilter('length' in given ? { includes: given } : given, view);
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

function common(asked: readonly string[], own: readonly string[]): readonly string[] {
  if (own.length === 0) return [NOTHING];
  if (asked.length === 0) return own;
  const found = new Set<string>();
  const budget = { steps: STEPS_MAX };
  for (const left of asked.flatMap(withWhatIsBelow)) {
    for (const right of own.flatMap(withWhatIsBelow)) {
      const both = commonPatterns(left, right, budget);
      for (const pattern of both ?? []) found.add(pattern);
      if (both === undefined || found.size > PATTERNS_MAX) {
        throw refusedToReader('the patterns of [_source] are too many together with those of field level security');
      }
    }
  }
  return found.size === 0 ? [NOTHING] : [...found];
}

function withWhatIsBelow(pattern: string): readonly string[] {
  return pattern.endsWith('*') ? [pattern] : [pattern, `${pattern}.*`];
}
