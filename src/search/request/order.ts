/** The sort keys of a plan: what the request asks for, and what scrolls, points in time and collapsing need besides. */
import { illegalArgument } from '../../base/errors.js';
import type { SearchPlan, SortKeyPlan } from '../plan/search-plan.js';
import { collapsed } from './collapse.js';
import type { SearchDraft } from './search-body.js';

/** What the search is a page of. */
export interface PageOf {
  readonly scroll?: boolean;
  /** `hasTiebreaker`: hits of sorted searches are told apart by `_shard_doc`. */
  readonly pit?: { readonly hasTiebreaker: boolean };
}

type Order = Pick<SearchPlan, 'sort' | 'hidden_keys' | 'collapse'>;

export function orderOf(draft: SearchDraft, page: PageOf): Order {
  const sort = draft.sort ?? [];
  if (page.pit === undefined && sort.some(isShardDoc)) {
    throw illegalArgument('[_shard_doc] sort field cannot be used without [point in time]');
  }
  if (draft.collapse !== undefined) return collapsed(draft.collapse.field, sort);
  if (page.scroll === true) return scrolled(sort);
  if (page.pit?.hasTiebreaker === true) return tiebroken(draft, sort);
  return draft.sort === undefined ? {} : { sort };
}

/** Every document has a place of its own, so that the next page begins behind the last. */
function scrolled(sort: readonly SortKeyPlan[]): Order {
  const isTotal = sort.some((key) => 'doc' in key);
  const visible: readonly SortKeyPlan[] = sort.length > 0 ? sort : [{ score: { order: 'desc' } }];
  const hidden = (sort.length > 0 ? 0 : 1) + (isTotal ? 0 : 1);
  return { sort: isTotal ? visible : [...visible, { doc: { order: 'asc' } }], hidden_keys: hidden };
}

/** One who gives no value for the tiebreaker does not want it. */
function tiebroken({ search_after: after }: SearchDraft, sort: readonly SortKeyPlan[]): Order {
  const isWanted = sort.length > 0 && !sort.some(isShardDoc) && (after === undefined || after.length !== sort.length);
  return { sort: isWanted ? [...sort, { shard_doc: { order: 'asc' } }] : sort };
}

function isShardDoc(key: SortKeyPlan): boolean {
  return 'shard_doc' in key;
}
