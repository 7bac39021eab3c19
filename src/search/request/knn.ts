/** `knn` of a search: one search for the nearest vectors, or several, beside the query. */
import { illegalArgument } from '../../base/errors.js';
import type { Place } from '../body/place.js';
import { knnSizes, type KnnPlan, type KnnSectionPlan } from '../plan/knn-plans.js';
import { checkKnnSizes, readKnn } from '../query/specialized/knn-query.js';
import type { InnerHitsPlan } from '../plan/search-plan.js';
import { CommonOptions, type ParseQuery } from '../query/query-parser.js';
import type { SearchSettings } from '../settings.js';
import { checkInnerWindow, innerHitsOf, readInnerHits } from './inner-hits.js';

/** Each is a search of all shards. */
const SECTIONS_MAX = 32;

/** A section as far as it is known without the size of the search. */
export interface KnnDraft {
  readonly plan: KnnPlan;
  readonly name: string | undefined;
  readonly innerHits: InnerHitsPlan | undefined;
}

export function readKnnSections(place: Place, settings: SearchSettings, parseQuery: ParseQuery): readonly KnnDraft[] {
  const items = place.items();
  if (items.length > SECTIONS_MAX) {
    throw illegalArgument(`[knn] has [${items.length}] searches, but may have [${SECTIONS_MAX}] at most`);
  }
  return items.map((item) => {
    const common = new CommonOptions('knn');
    let innerHits: InnerHitsPlan | undefined;
    const plan = readKnn(
      item,
      { ...common.readers, inner_hits: (value) => void (innerHits = readShown(value, settings, parseQuery)) },
      parseQuery,
    );
    return { plan: { ...plan, ...common.boosted }, name: common.name, innerHits };
  });
}

function readShown(value: Place, settings: SearchSettings, parseQuery: ParseQuery): InnerHitsPlan {
  const inner = readInnerHits(value, parseQuery);
  if (inner.collapse !== undefined) {
    throw value.error('[collapse] of [inner_hits] in [knn] is not supported', 'illegal_argument_exception');
  }
  checkInnerWindow(inner, settings);
  return innerHitsOf(inner, settings, parseQuery);
}

export function knnSections(drafts: readonly KnnDraft[], size: number): readonly KnnSectionPlan[] {
  return drafts.map(({ plan, name, innerHits }) => {
    const section = { ...plan, ...knnSizes(plan, size) };
    checkKnnSizes(section);
    return {
      ...section,
      ...(name === undefined ? {} : { name }),
      ...(innerHits === undefined ? {} : { inner_hits: innerHits }),
    };
  });
}
