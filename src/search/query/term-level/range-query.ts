/** `range`: values between two ends. */
import { illegalArgument } from '../../../base/errors.js';
import type { JsonScalar } from '../../../base/json-value.js';
import type { Place } from '../../body/place.js';
import { readBoolean, readScalar, readText } from '../../body/read.js';
import { readTimeZone } from '../../body/time-zone.js';
import type { BoundPlan, RangePlan, RangeRelation } from '../../plan/query-plan.js';
import { CommonOptions, fieldOf, readScalarOptions, type Draft, type QueryParser } from '../query-parser.js';

const NAME = 'range';

/** One end as it is being read: `from` and `include_lower` may come in any order. */
interface EndDraft {
  value: JsonScalar;
  inclusive: boolean;
}

function bound(end: EndDraft): BoundPlan | undefined {
  return end.value === null ? undefined : { value: end.value, inclusive: end.inclusive };
}

function readRelation(place: Place): RangeRelation {
  const text = readText(place);
  const relation = text.toLowerCase();
  if (relation === 'disjoint') throw illegalArgument(`[${NAME}] query does not support relation [${text}]`);
  // A value that is a point lies within, contains and intersects a range alike.
  if (relation === 'intersects' || relation === 'within' || relation === 'contains') return relation;
  throw illegalArgument(`${text} is not a valid relation`);
}

export const rangeQuery: QueryParser = {
  name: NAME,
  parse(place) {
    const { field, body } = fieldOf(place, NAME);
    if (!body.isObject) throw body.error(`[${NAME}] query does not support [${field}]`);
    const draft: Draft<RangePlan> = {};
    const common = new CommonOptions(NAME);
    const lower: EndDraft = { value: null, inclusive: true };
    const upper: EndDraft = { value: null, inclusive: true };
    const end = (of: EndDraft, inclusive: boolean | undefined) => (value: Place) => {
      of.value = readScalar(value);
      if (inclusive !== undefined) of.inclusive = inclusive;
    };
    readScalarOptions(body, NAME, {
      ...common.readers,
      gt: end(lower, false),
      gte: end(lower, true),
      lt: end(upper, false),
      lte: end(upper, true),
      from: end(lower, undefined),
      to: end(upper, undefined),
      include_lower: (value) => void (lower.inclusive = readBoolean(value)),
      include_upper: (value) => void (upper.inclusive = readBoolean(value)),
      format: (value) => void (draft.format = readText(value)),
      time_zone: (value) => void (draft.time_zone = readTimeZone(value)),
      relation: (value) => void (draft.relation = readRelation(value)),
    });
    const [from, to] = [bound(lower), bound(upper)];
    const ends = { ...(from === undefined ? {} : { from }), ...(to === undefined ? {} : { to }) };
    return common.named({ range: { ...draft, field, ...ends, ...common.boosted } });
  },
};
