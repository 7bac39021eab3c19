/** What cannot be asked of a search together. */
import { illegalArgument, QuarryError } from '../../base/errors.js';
import type { SearchSettings } from '../settings.js';
import type { PageOf } from './order.js';
import type { SearchDraft } from './search-body.js';

/** `requestCache` is what the query string says. */
export function checkCombinations(
  draft: SearchDraft,
  page: PageOf,
  requestCache: boolean | undefined,
  settings: SearchSettings,
): void {
  checkScroll(draft, page, requestCache);
  checkCollapse(draft);
  const sorts = (draft.sort?.length ?? 0) > 0;
  if ((draft.rescore?.length ?? 0) > 0 && sorts) {
    throw illegalArgument('Cannot use [sort] option in conjunction with [rescore].');
  }
  checkSlice(draft, page, settings);
  if (draft.knn !== undefined && (draft.collapse?.innerHits.length ?? 0) > 0) {
    throw illegalArgument('[inner_hits] of [collapse] are not supported together with [knn]');
  }
}

function checkScroll(draft: SearchDraft, page: PageOf, requestCache: boolean | undefined): void {
  if (page.scroll !== true) return;
  const problems: string[] = [];
  const tracked = draft.track_total_hits;
  if (tracked !== undefined && tracked !== 'exact') {
    problems.push('disabling [track_total_hits] is not allowed in a scroll context');
  }
  if ((draft.from ?? 0) > 0) problems.push('using [from] is not allowed in a scroll context');
  if (requestCache === true) problems.push('[request_cache] cannot be used in a scroll context');
  if (draft.size === 0) problems.push('[size] cannot be [0] in a scroll context');
  if ((draft.rescore?.length ?? 0) > 0) problems.push('using [rescore] is not allowed in a scroll context');
  if (draft.pit !== undefined) problems.push('using [point in time] is not allowed in a scroll context');
  if (problems.length > 0) throw validationFailure(problems);
  if (draft.collapse !== undefined) throw illegalArgument('cannot use `collapse` in a scroll context');
  if (draft.search_after !== undefined) {
    throw illegalArgument('`search_after` cannot be used in a scroll context.');
  }
}

export function validationFailure(problems: readonly string[]): QuarryError {
  const sentence = problems.map((problem, at) => `${at + 1}: ${problem};`).join('');
  return new QuarryError('action_request_validation_exception', `Validation Failed: ${sentence}`);
}

function checkCollapse(draft: SearchDraft): void {
  if (draft.collapse === undefined) return;
  if ((draft.rescore?.length ?? 0) > 0) throw illegalArgument('cannot use `collapse` in conjunction with `rescore`');
  if (draft.search_after === undefined) return;
  const [key, ...others] = draft.sort ?? [];
  const isSame = key !== undefined && 'field' in key && key.field.field === draft.collapse.field;
  if (isSame && others.length === 0) return;
  throw illegalArgument(
    'collapse field and sort field must be the same when use `collapse` in conjunction with `search_after`',
  );
}

function checkSlice({ slice }: SearchDraft, page: PageOf, settings: SearchSettings): void {
  if (slice === undefined) return;
  if (page.scroll !== true && page.pit === undefined) {
    throw illegalArgument('[slice] can only be used with [scroll] or [point-in-time] requests');
  }
  const [most, setting] =
    page.pit === undefined
      ? [settings.maxSlicesPerScroll, 'index.max_slices_per_scroll']
      : [settings.maxSlicesPerPit, 'index.max_slices_per_pit'];
  if (slice.max <= most) return;
  throw illegalArgument(
    `The number of slices [${slice.max}] is too large. It must be less than [${most}]. This limit can be set by ` +
      `changing the [${setting}] index level setting.`,
  );
}
