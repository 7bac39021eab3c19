/** Random queries about where words are: spans and intervals. */
import type { Chance } from '../chance.js';
import { word, words } from '../fields.js';
import type { Json, JsonObject } from '../../json.js';
import type { QueryKinds } from './kind.js';
import { boost } from './text.js';

const FIELDS = ['title', 'body', 'note'] as const;

function clauses(chance: Chance, field: string, depth: number): JsonObject[] {
  return chance.times(1, 3, () => span(chance, field, depth - 1));
}

/** A span query over one field: all that are combined need the same. */
function span(chance: Chance, field: string, depth: number): JsonObject {
  const kinds = depth > 0 ? ['near', 'or', 'first', 'not', 'containing', 'within', 'multi', 'term'] : ['term', 'multi'];
  switch (chance.pick(kinds)) {
    case 'near':
      return { span_near: spanNear(chance, field, depth) };
    case 'or':
      return { span_or: { clauses: clauses(chance, field, depth) } };
    case 'first':
      return { span_first: { match: span(chance, field, depth - 1), end: chance.between(1, 6) } };
    case 'not':
      return { span_not: spanNot(chance, field, depth) };
    case 'containing':
      return { span_containing: aroundAndWithin(chance, field, depth) };
    case 'within':
      return { span_within: aroundAndWithin(chance, field, depth) };
    case 'multi':
      return { span_multi: { match: { prefix: { [field]: { value: word(chance).slice(0, 2) } } } } };
    default:
      return { span_term: { [field]: word(chance) } };
  }
}

function spanNear(chance: Chance, field: string, depth: number): JsonObject {
  return {
    clauses: [span(chance, field, depth - 1), ...clauses(chance, field, depth)],
    slop: chance.between(0, 8),
    in_order: chance.yes(0.5),
    ...chance.options({ boost: [0.1, () => boost(chance)] }),
  };
}

function spanNot(chance: Chance, field: string, depth: number): JsonObject {
  return {
    include: span(chance, field, depth - 1),
    exclude: span(chance, field, depth - 1),
    ...chance.one<JsonObject>(
      () => ({}),
      () => ({ dist: chance.between(0, 3) }),
      () => ({ pre: chance.between(0, 3), post: chance.between(0, 3) }),
    ),
  };
}

function aroundAndWithin(chance: Chance, field: string, depth: number): JsonObject {
  const big = { span_near: { clauses: [span(chance, field, 0), span(chance, field, 0)], slop: 6, in_order: false } };
  return { big, little: span(chance, field, depth - 1) };
}

function intervalsRule(chance: Chance, depth: number): JsonObject {
  const kinds = ['match', 'match', 'prefix', 'wildcard', 'fuzzy', ...(depth > 0 ? ['all_of', 'any_of'] : [])];
  const kind = chance.pick(kinds);
  const filter = chance.options({ filter: [depth > 0 ? 0.3 : 0, () => intervalsFilter(chance, depth)] });
  const inner = (): JsonObject[] => chance.times(1, 3, () => intervalsRule(chance, depth - 1));
  const gaps = { max_gaps: [0.5, () => chance.between(-1, 5)], ordered: [0.5, () => chance.yes(0.5)] } as const;
  switch (kind) {
    case 'match':
      return { match: { query: words(chance, 1, 3), ...chance.options(gaps), ...filter } };
    case 'prefix':
      return { prefix: { prefix: word(chance).slice(0, 3) } };
    case 'wildcard':
      return { wildcard: { pattern: `${word(chance).slice(0, 2)}*` } };
    case 'fuzzy':
      return {
        fuzzy: { term: word(chance), ...chance.options({ fuzziness: [0.5, () => chance.pick<Json>([1, 'AUTO'])] }) },
      };
    case 'all_of':
      return { all_of: { intervals: inner(), ...chance.options(gaps), ...filter } };
    default:
      return { any_of: { intervals: inner(), ...filter } };
  }
}

const FILTERS = [
  ...['after', 'before', 'contained_by', 'containing', 'not_contained_by', 'not_containing', 'not_overlapping'],
  'overlapping',
] as const;

function intervalsFilter(chance: Chance, depth: number): JsonObject {
  return { [chance.pick(FILTERS)]: intervalsRule(chance, depth - 1) };
}

const field = (chance: Chance): string => chance.pick(FIELDS);

export const positionalQueries: QueryKinds = {
  span_term: (chance) => ({ [field(chance)]: word(chance) }),
  span_near: (chance) => spanNear(chance, field(chance), 2),
  span_or: (chance) => ({ clauses: clauses(chance, field(chance), 2) }),
  span_first: (chance) => ({ match: span(chance, field(chance), 1), end: chance.between(1, 6) }),
  span_not: (chance) => spanNot(chance, field(chance), 2),
  span_containing: (chance) => aroundAndWithin(chance, field(chance), 2),
  span_within: (chance) => aroundAndWithin(chance, field(chance), 2),
  span_multi: (chance) => {
    const name = field(chance);
    const start = word(chance);
    return {
      match: chance.one<JsonObject>(
        () => ({ prefix: { [name]: { value: start.slice(0, 2) } } }),
        () => ({ wildcard: { [name]: { value: `${start.slice(0, 2)}*` } } }),
        () => ({ fuzzy: { [name]: { value: start, fuzziness: 1 } } }),
        () => ({ regexp: { [name]: { value: `${start.slice(0, 2)}.*` } } }),
      ),
    };
  },
  field_masking_span: (chance) => ({ query: { span_term: { title: word(chance) } }, field: 'note' }),
  intervals: (chance) => ({
    [field(chance)]: { ...intervalsRule(chance, 2), ...chance.options({ boost: [0.1, () => boost(chance)] }) },
  }),
};
