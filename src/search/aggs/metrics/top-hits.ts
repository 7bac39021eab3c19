/** `top_hits`: the best documents of a bucket. */
import { illegalArgument } from '../../../base/errors.js';
import { readBoolean, readInt } from '../../body/read.js';
import type { SortKeyPlan } from '../../plan/search-plan.js';
import { FETCH_KEYS, innerFetchPlan, type FetchDraft } from '../../request/fetch-plan.js';
import { readSort } from '../../request/sort.js';
import type { SearchSettings } from '../../settings.js';
import { atLeast, type AggregationParser } from '../aggregation-parser.js';

const SIZE_DEFAULT = 3;

export const topHitsAggregation: AggregationParser = {
  name: 'top_hits',
  takesChildren: false,
  parse(place, { name, settings, parseQuery }) {
    const draft: FetchDraft = {};
    let [from, size] = [0, SIZE_DEFAULT];
    let sort: readonly SortKeyPlan[] = [];
    let trackScores = false;
    for (const [key, value] of place.members()) {
      const readFetch = Object.hasOwn(FETCH_KEYS, key) ? FETCH_KEYS[key] : undefined;
      if (readFetch !== undefined) readFetch(draft, value);
      else if (key === 'from') from = atLeast(readInt(value), 0, 'from', name);
      else if (key === 'size') size = atLeast(readInt(value), 0, 'size', name);
      else if (key === 'sort') sort = readSort(value, parseQuery);
      else if (key === 'track_scores') trackScores = readBoolean(value);
      else throw value.error(`Unknown key for a ${value.token} in [${key}].`);
    }
    checkWindow(from + size, name, settings);
    if (draft.explain === true) throw illegalArgument('[explain] is not supported');
    return {
      top_hits: { from, size, sort, track_scores: trackScores, fetch: innerFetchPlan(draft, settings, parseQuery) },
    };
  },
};

function checkWindow(window: number, name: string, settings: SearchSettings): void {
  const most = settings.maxInnerResultWindow;
  if (window <= most) return;
  throw illegalArgument(
    `Top hits result window is too large, the top hits aggregator [${name}]'s from + size must be less than or equal to: ` +
      `[${most}] but was [${window}]. This limit can be set by changing the [index.max_inner_result_window] index level setting.`,
  );
}
