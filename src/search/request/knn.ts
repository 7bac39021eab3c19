/** `knn` of a search: one search for the nearest vectors, or several, beside the query. */
import { illegalArgument } from '../../base/errors.js';
import type { Place } from '../body/place.js';
import { knnSizes, type KnnPlan, type KnnSectionPlan } from '../plan/knn-plans.js';
import { checkKnnSizes, readKnn } from '../query/knn-query.js';
import { CommonOptions, type ParseQuery } from '../query/query-parser.js';

/** Each is a search of all shards. */
const SECTIONS_MAX = 32;

/** A section as far as it is known without the size of the search. */
export interface KnnDraft {
  readonly plan: KnnPlan;
  readonly name: string | undefined;
}

export function readKnnSections(place: Place, parseQuery: ParseQuery): readonly KnnDraft[] {
  const items = place.items();
  if (items.length > SECTIONS_MAX) {
    throw illegalArgument(`[knn] has [${items.length}] searches, but may have [${SECTIONS_MAX}] at most`);
  }
  return items.map((item) => {
    const common = new CommonOptions('knn');
    const plan = readKnn(item, common.readers, parseQuery);
    return { plan: { ...plan, ...common.boosted }, name: common.name };
  });
}

export function knnSections(drafts: readonly KnnDraft[], size: number): readonly KnnSectionPlan[] {
  return drafts.map(({ plan, name }) => {
    const section = { ...plan, ...knnSizes(plan, size) };
    checkKnnSizes(section);
    return name === undefined ? section : { ...section, name };
  });
}
