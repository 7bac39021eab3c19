/** `has_child`, `has_parent` and `parent_id`: documents by those on the other side of a relation. */
import { illegalArgument } from '../../../base/errors.js';
import { readBoolean, readInt, readText } from '../../body/read.js';
import type { HasChildPlan, HasParentPlan, NestedScorePlan } from '../../plan/query-plan.js';
import type { InnerHitsPlan } from '../../plan/search-plan.js';
import { checkInnerWindow, innerHitsOf, readInnerHits } from '../../request/inner-hits.js';
import type { Place } from '../../body/place.js';
import { CommonOptions, readOptions, type Draft, type QueryContext, type QueryParser } from '../query-parser.js';

const SCORE_MODES: readonly NestedScorePlan[] = ['avg', 'sum', 'min', 'max', 'none'];

const hasChild: QueryParser = {
  name: 'has_child',
  parse(place, context) {
    const common = new CommonOptions('has_child');
    const draft: Draft<HasChildPlan> = {};
    readOptions(place, 'has_child', {
      ...common.readers,
      type: (value) => void (draft.type = readText(value)),
      query: (value) => void (draft.query = context.parseQuery(value)),
      score_mode: (value) => void (draft.score_mode = scoreModeOf(readText(value))),
      min_children: (value) => void (draft.min_children = readInt(value)),
      max_children: (value) => void (draft.max_children = readInt(value)),
      ignore_unmapped: (value) => void (draft.ignore_unmapped = readBoolean(value)),
      inner_hits: (value) => void (draft.inner_hits = innerHits(value, 'has_child', context)),
    });
    const { type, query, ...more } = draft;
    if (type === undefined) throw illegalArgument("[has_child] requires 'type' field");
    if (query === undefined) throw illegalArgument("[has_child] requires 'query' field");
    checkChildren(draft);
    return common.named({ has_child: { type, query, ...more, ...common.boosted } });
  },
};

function checkChildren({ min_children: least = 1, max_children: most = 2 ** 31 - 1 }: Draft<HasChildPlan>): void {
  if (least < 0) throw illegalArgument("[has_child] requires non-negative 'min_children' field");
  if (most < 0) throw illegalArgument("[has_child] requires non-negative 'max_children' field");
  if (most < least) throw illegalArgument("[has_child] 'max_children' is less than 'min_children'");
}

const hasParent: QueryParser = {
  name: 'has_parent',
  parse(place, context) {
    const common = new CommonOptions('has_parent');
    const draft: Draft<HasParentPlan> = {};
    readOptions(place, 'has_parent', {
      ...common.readers,
      parent_type: (value) => void (draft.parent_type = readText(value)),
      query: (value) => void (draft.query = context.parseQuery(value)),
      score: (value) => void (draft.score = readBoolean(value)),
      ignore_unmapped: (value) => void (draft.ignore_unmapped = readBoolean(value)),
      inner_hits: (value) => void (draft.inner_hits = innerHits(value, 'has_parent', context)),
    });
    const { parent_type: parentType, query, ...more } = draft;
    if (parentType === undefined) throw illegalArgument("[has_parent] requires 'parent_type' field");
    if (query === undefined) throw illegalArgument("[has_parent] requires 'query' field");
    return common.named({ has_parent: { parent_type: parentType, query, ...more, ...common.boosted } });
  },
};

const parentId: QueryParser = {
  name: 'parent_id',
  parse(place) {
    const common = new CommonOptions('parent_id');
    let type: string | undefined;
    let id: string | undefined;
    let ignoreUnmapped: boolean | undefined;
    readOptions(place, 'parent_id', {
      ...common.readers,
      type: (value) => void (type = readText(value)),
      id: (value) => void (id = readText(value)),
      ignore_unmapped: (value) => void (ignoreUnmapped = readBoolean(value)),
    });
    if (type === undefined) throw illegalArgument("[parent_id] requires 'type' field");
    if (id === undefined) throw illegalArgument("[parent_id] requires 'id' field");
    const ignoring = ignoreUnmapped === undefined ? {} : { ignore_unmapped: ignoreUnmapped };
    return common.named({ parent_id: { type, id, ...ignoring, ...common.boosted } });
  },
};

export const joinQueries: readonly QueryParser[] = [hasChild, hasParent, parentId];

function innerHits(value: Place, query: string, { settings, parseQuery }: QueryContext): InnerHitsPlan {
  const draft = readInnerHits(value, parseQuery);
  if (draft.collapse !== undefined) {
    throw value.error(`[collapse] of [inner_hits] in [${query}] is not supported`, 'illegal_argument_exception');
  }
  checkInnerWindow(draft, settings);
  return innerHitsOf(draft, settings, parseQuery);
}

export function scoreModeOf(text: string): NestedScorePlan {
  const mode = SCORE_MODES.find((known) => known === text);
  if (mode !== undefined) return mode;
  throw illegalArgument(`No score mode for child query [${text}] found`);
}
