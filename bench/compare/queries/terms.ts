/** Random queries of terms, numbers and ids. */
import type { Chance } from '../chance.js';
import * as fields from '../fields.js';
import type { Json, JsonObject } from '../../json.js';
import type { QueryKinds } from './kind.js';
import { boost, fuzziness, named } from './text.js';

type FieldAndValue = readonly [field: string, value: Json];

/** A field of any type, and a value that documents may have there. */
function anyValue(chance: Chance): FieldAndValue {
  const number = chance.pick(fields.NUMBERS);
  const keyword = chance.pick(fields.KEYWORDS);
  const range = chance.pick(fields.RANGES);
  return chance.one<FieldAndValue>(
    () => [keyword, fields.keywordValue(chance, keyword)],
    () => [keyword, fields.keywordValue(chance, keyword)],
    () => [number.name, number.value(chance)],
    () => [number.name, String(number.value(chance))],
    () => ['flag', chance.pick<Json>([true, false, 'true', 'false'])],
    () => ['day', fields.day(chance)],
    () => ['day', chance.pick(['2024-02', '2024||/y', '2024-03-05||+1M/M'])],
    () => ['nanos', fields.day(chance)],
    () => ['address', fields.address(chance)],
    () => ['address', `10.${chance.between(0, 2)}.0.0/${chance.between(8, 24)}`],
    () => [range.name, pointOf(chance, range.type)],
    () => ['flat.kind', fields.tag(chance)],
    () => ['flat', fields.tag(chance)],
    () => ['flat.deep.number', String(chance.between(0, 9))],
    () => ['same', fields.tag(chance)],
    () => ['kind', chance.pick(['thing', 'other'])],
    () => ['wild', fields.words(chance, 1, 2)],
    () => ['title', fields.word(chance)],
    () => ['title.length', chance.between(1, 6)],
    () => ['_id', `d${chance.below(200)}`],
    () => ['relation', chance.pick(['question', 'answer', 'vote'])],
    () => ['inner.word', fields.tag(chance)],
    () => ['absent', 1],
  );
}

function pointOf(chance: Chance, type: string): Json {
  if (type === 'date_range') return fields.instant(chance);
  if (type === 'ip_range') return fields.address(chance);
  return chance.between(-60, 600);
}

interface Bounds {
  readonly field: string;
  readonly bound: () => Json;
  readonly more: JsonObject;
}

function bounds(chance: Chance): Bounds {
  const number = chance.pick(fields.NUMBERS);
  const range = chance.pick(fields.RANGES);
  const relation = chance.options({ relation: [0.7, () => chance.pick(['intersects', 'contains', 'within'])] });
  const zone = chance.options({ time_zone: [0.2, () => chance.pick(['+02:00', 'Europe/Berlin', '-08:00'])] });
  return chance.one<Bounds>(
    () => ({ field: number.name, bound: () => number.value(chance), more: {} }),
    () => ({ field: number.name, bound: () => number.value(chance), more: {} }),
    () => ({ field: number.name, bound: () => number.value(chance) + 0.5, more: {} }),
    () => ({
      field: 'day',
      bound: () =>
        chance.one<Json>(
          () => fields.day(chance),
          () => fields.instant(chance),
        ),
      more: zone,
    }),
    () => ({
      field: 'day',
      bound: () => `${fields.day(chance)}||${chance.pick(['/M', '+1d/d', '-1M', '/w'])}`,
      more: {},
    }),
    () => ({ field: 'day', bound: () => chance.between(2023, 2026), more: { format: 'yyyy', ...zone } }),
    () => ({ field: 'stamp', bound: () => fields.instant(chance).slice(0, 19).replace('T', ' '), more: {} }),
    () => ({ field: 'nanos', bound: () => fields.instant(chance), more: {} }),
    () => ({ field: 'address', bound: () => fields.address(chance), more: {} }),
    () => ({ field: 'tags', bound: () => fields.tag(chance), more: {} }),
    () => ({ field: 'title', bound: () => fields.word(chance), more: {} }),
    () => ({ field: 'flat.kind', bound: () => fields.tag(chance), more: {} }),
    () => ({ field: range.name, bound: () => pointOf(chance, range.type), more: relation }),
    () => ({ field: range.name, bound: () => pointOf(chance, range.type), more: relation }),
  );
}

function range(chance: Chance): JsonObject {
  const { field, bound, more } = bounds(chance);
  const body: Record<string, Json> = { ...more };
  if (chance.yes(0.8)) body[chance.pick(['gte', 'gt'])] = bound();
  if (chance.yes(0.8)) body[chance.pick(['lte', 'lt'])] = bound();
  return { [field]: { ...body, ...chance.options(named(chance)) } };
}

const PATTERNED = [
  'tags',
  'colour',
  'code',
  'title',
  'title.raw',
  'wild',
  'flat.kind',
  'body',
  'note',
  'kind',
] as const;

function textOf(chance: Chance, field: string): string {
  return ['title', 'title.raw', 'wild', 'body', 'note'].includes(field) ? fields.word(chance) : fields.tag(chance);
}

const rewrite = (chance: Chance): Json =>
  chance.pick(['constant_score', 'scoring_boolean', 'constant_score_boolean', 'top_terms_5', 'top_terms_boost_4']);

/** `{field: value}`, or the long form where there are options. */
function pattern(chance: Chance, field: string, value: string, options: JsonObject): JsonObject {
  return Object.keys(options).length === 0 && chance.yes(0.5) ? { [field]: value } : { [field]: { value, ...options } };
}

const insensitive = (chance: Chance): JsonObject =>
  chance.options({ ...named(chance), case_insensitive: [0.2, () => chance.yes(0.8)] });

export const termQueries: QueryKinds = {
  match_all: (chance) => chance.options(named(chance)),
  match_none: () => ({}),
  term: (chance) => {
    const [field, value] = anyValue(chance);
    const options = chance.options(named(chance));
    if (typeof value === 'string' && (fields.KEYWORDS as readonly string[]).includes(field) && chance.yes(0.1))
      return { [field]: { value: value.toUpperCase(), case_insensitive: true, ...options } };
    return Object.keys(options).length === 0 ? { [field]: value } : { [field]: { value, ...options } };
  },
  terms: (chance) => {
    const [field, value] = anyValue(chance);
    const same = chance.times<Json>(0, 12, () => {
      const [other, more] = anyValue(chance);
      return other === field ? more : value;
    });
    return { [field]: [value, ...same], ...chance.options({ boost: [0.2, () => boost(chance)] }) };
  },
  terms_set: (chance) => ({
    [chance.pick(['tags', 'colour', 'title'])]: {
      terms: chance.times(1, 5, () =>
        chance.one(
          () => fields.tag(chance),
          () => fields.word(chance),
        ),
      ),
      ...chance.one<JsonObject>(
        () => ({ minimum_should_match_field: chance.pick(['tiny', 'inner.number']) }),
        () => ({ minimum_should_match_script: { source: 'Math.min(params.num_terms, 2)' } }),
      ),
    },
  }),
  range,
  exists: (chance) => ({
    field: chance.pick([
      ...fields.TEXTS,
      ...fields.KEYWORDS,
      ...fields.DATES,
      ...fields.NUMBERS.map(({ name }) => name),
      ...fields.RANGES.map(({ name }) => name),
      ...['flag', 'place', 'area', 'flat', 'flat.kind', 'flat.deep', 'inner', 'inner.*', 'comments', 'importance'],
      ...['relation', 'same', 'kind', 'inputs', 'features', 'absent', 'wild', 'typing', '_id', 'tag*', 'title.*'],
    ]),
    ...chance.options(named(chance)),
  }),
  ids: (chance) => ({ values: chance.times(0, 6, () => `d${chance.below(400)}`), ...chance.options(named(chance)) }),
  prefix: (chance) => {
    const field = chance.pick(PATTERNED);
    const options = { ...insensitive(chance), ...chance.options({ rewrite: [0.1, () => rewrite(chance)] }) };
    return pattern(chance, field, textOf(chance, field).slice(0, chance.between(0, 3)), options);
  },
  wildcard: (chance) => {
    const field = chance.pick(PATTERNED);
    const text = textOf(chance, field);
    const value = chance.one(
      () => `${text.slice(0, 2)}*`,
      () => `*${text.slice(-2)}`,
      () => `*${text.slice(1, 3)}*`,
      () => `${text.slice(0, 1)}?${text.slice(2)}`,
      () => '*',
      () => text,
      () => `${text.slice(0, 1)}*${text.slice(-1)}`,
    );
    const options = { ...insensitive(chance), ...chance.options({ rewrite: [0.1, () => rewrite(chance)] }) };
    return pattern(chance, field, value, options);
  },
  regexp: (chance) => {
    const field = chance.pick(PATTERNED);
    const text = textOf(chance, field);
    const value = chance.one(
      () => `${text.slice(0, 1)}.*`,
      () => `[a-m].+`,
      () => `(${text}|${textOf(chance, field)})s?`,
      () => `${text.slice(0, 2)}[^a-c]{1,4}`,
      () => `.{2,${chance.between(3, 6)}}`,
      () => `r<1-9>|x+y?z*`,
      () => `@&.*e.*`,
    );
    const options = chance.options({
      ...named(chance),
      flags: [
        0.2,
        () => chance.pick(['ALL', 'NONE', 'INTERVAL', 'INTERSECTION|INTERVAL', 'INTERSECTION', 'ANYSTRING']),
      ],
      case_insensitive: [0.15, () => chance.yes(0.8)],
      rewrite: [0.1, () => rewrite(chance)],
    });
    return pattern(chance, field, value, options);
  },
  fuzzy: (chance) => {
    const field = chance.pick(PATTERNED);
    const options = chance.options({
      ...named(chance),
      fuzziness: [0.5, () => fuzziness(chance)],
      prefix_length: [0.2, () => chance.between(0, 3)],
      max_expansions: [0.2, () => chance.between(1, 20)],
      transpositions: [0.1, () => chance.yes(0.5)],
      rewrite: [0.1, () => rewrite(chance)],
    });
    return pattern(chance, field, textOf(chance, field), options);
  },
};
