/** The fields of the documents that both servers get, and values for them: few different ones, so that requests find some. */
import type { Chance } from './chance.js';
import type { Json, JsonObject } from '../json.js';

const WORDS = (
  'amber ambers apple apples apply bridge bridges cedar cedars delta dance dances danced ember fable fabled garden gardens ' +
  'harbor harbour island jumper jumped kettle lantern lanterns meadow night nights ocean orchid the of and to quick quiet ' +
  'river rivers silver stone stones tunnel under valley winter yellow zebra'
).split(' ');

/** A word; those at the beginning of a shuffled list are far more frequent. */
export function word(chance: Chance): string {
  const rank = Math.floor(WORDS.length * chance.fraction() ** 2);
  return WORDS[(rank * 17) % WORDS.length] ?? 'amber';
}

export function words(chance: Chance, least: number, most: number): string {
  return chance.times(least, most, () => word(chance)).join(' ');
}

/** Several sentences. */
export function prose(chance: Chance): string {
  return chance.times(1, 5, () => `${words(chance, 2, 9)}${chance.pick(['.', '!', '?', ', and so'])}`).join(' ');
}

const TAGS = ['red', 'green', 'blue', 'Black', 'white', 'dark-blue', 'grün', 'r2', 'r10', 'x', 'xy', 'xyz'];
const AUTHORS = ['ann', 'bob', 'cyd', 'dee', 'eve'];

export const tag = (chance: Chance): string => TAGS[Math.floor(TAGS.length * chance.fraction() ** 2)] ?? 'red';
export const author = (chance: Chance): string => chance.pick(AUTHORS);

const DAY_MS = 86_400_000;
const FIRST_DAY = Date.UTC(2023, 9, 20);
/** Days of two years around a leap day, some of them around changes of daylight saving time. */
const DAYS = 500;

export function moment(chance: Chance): number {
  return FIRST_DAY + chance.below(DAYS) * DAY_MS + chance.below(48) * (DAY_MS / 48);
}
export const instant = (chance: Chance): string => new Date(moment(chance)).toISOString();
export const day = (chance: Chance): string => instant(chance).slice(0, 10);

export function address(chance: Chance): string {
  if (chance.yes(0.2)) return `2001:db8::${chance.between(0, 40).toString(16)}`;
  return `10.${chance.between(0, 2)}.${chance.between(0, 3)}.${chance.between(0, 255)}`;
}

/** Middle Europe, so that distances and cells are met several times. */
export const latitude = (chance: Chance): number => Number((46 + chance.fraction() * 6).toFixed(4));
export const longitude = (chance: Chance): number => Number((9 + chance.fraction() * 9).toFixed(4));
export const place = (chance: Chance): JsonObject => ({ lat: latitude(chance), lon: longitude(chance) });

function box(chance: Chance): JsonObject {
  const [left, bottom] = [longitude(chance), latitude(chance)];
  const [right, top] = [left + 0.2 + chance.fraction() * 2, bottom + 0.2 + chance.fraction() * 2];
  const ring = [
    [left, bottom],
    [right, bottom],
    [right, top],
    [left, top],
    [left, bottom],
  ];
  return { type: 'Polygon', coordinates: [ring] };
}

export function shape(chance: Chance): JsonObject {
  return chance.one<JsonObject>(
    () => box(chance),
    () => ({ type: 'Point', coordinates: [longitude(chance), latitude(chance)] }),
    () => ({
      type: 'LineString',
      coordinates: chance.times(2, 4, () => [longitude(chance), latitude(chance)]),
    }),
  );
}

export interface NumberField {
  readonly name: string;
  readonly type: string;
  readonly value: (chance: Chance) => number;
  readonly isWhole: boolean;
}

const quarter = (chance: Chance, most: number): number => chance.between(-most * 4, most * 4) / 4;

export const NUMBERS: readonly NumberField[] = [
  { name: 'tiny', type: 'byte', value: (chance) => chance.between(-20, 20), isWhole: true },
  { name: 'small', type: 'short', value: (chance) => chance.between(0, 300), isWhole: true },
  { name: 'whole', type: 'integer', value: (chance) => chance.between(-1000, 1000), isWhole: true },
  { name: 'large', type: 'long', value: (chance) => chance.between(0, 50) * 1_000_003, isWhole: true },
  { name: 'half', type: 'half_float', value: (chance) => quarter(chance, 30), isWhole: false },
  { name: 'single', type: 'float', value: (chance) => quarter(chance, 100) + chance.pick([0, 0.1]), isWhole: false },
  { name: 'double', type: 'double', value: (chance) => chance.between(-500, 500) / 10, isWhole: false },
  { name: 'scaled', type: 'scaled_float', value: (chance) => chance.between(0, 2000) / 100, isWhole: false },
  { name: 'unsigned', type: 'unsigned_long', value: (chance) => chance.between(0, 100), isWhole: true },
];

export interface RangeField {
  readonly name: string;
  readonly type: string;
  readonly value: (chance: Chance) => Json;
}

function numbersBetween(chance: Chance, make: () => number): JsonObject {
  const [low, high] = [make(), make()].sort((left, right) => left - right);
  return { [chance.pick(['gte', 'gt'])]: low ?? 0, [chance.pick(['lte', 'lt'])]: (high ?? 0) + 3 };
}

export const RANGES: readonly RangeField[] = [
  {
    name: 'span_integer',
    type: 'integer_range',
    value: (chance) => numbersBetween(chance, () => chance.between(-50, 50)),
  },
  { name: 'span_long', type: 'long_range', value: (chance) => numbersBetween(chance, () => chance.between(0, 900)) },
  { name: 'span_float', type: 'float_range', value: (chance) => numbersBetween(chance, () => quarter(chance, 40)) },
  { name: 'span_double', type: 'double_range', value: (chance) => numbersBetween(chance, () => quarter(chance, 40)) },
  {
    name: 'span_date',
    type: 'date_range',
    value: (chance) => {
      const [low = 0, high = 0] = [moment(chance), moment(chance)].sort((left, right) => left - right);
      return { gte: new Date(low).toISOString(), lte: new Date(high).toISOString() };
    },
  },
  {
    name: 'span_ip',
    type: 'ip_range',
    value: (chance) =>
      chance.one<Json>(
        () => `10.${chance.between(0, 2)}.${chance.between(0, 3)}.0/${chance.between(20, 30)}`,
        () => ({ gte: `10.0.${chance.between(0, 1)}.4`, lte: `10.1.${chance.between(0, 3)}.200` }),
      ),
  },
];

export const TEXTS = ['title', 'title.english', 'body', 'note'] as const;
export const KEYWORDS = ['tags', 'code', 'title.raw', 'colour'] as const;
export const DATES = ['day', 'stamp', 'nanos'] as const;
/** Fields of one value at most, where a request refuses several. */
export const SINGLE_NUMBERS = ['serial', 'single_value'] as const;

/** A word of text, as a value of that keyword field may be. */
export function keywordValue(chance: Chance, field: string): string {
  if (field === 'title.raw') return words(chance, 1, 3);
  return tag(chance);
}

const numbers = Object.fromEntries(
  NUMBERS.map(({ name, type }) => [name, type === 'scaled_float' ? { type, scaling_factor: 100 } : { type }]),
);
const ranges = Object.fromEntries(RANGES.map(({ name, type }) => [name, { type }]));

/** Keywords score by their words in Elasticsearch and Quarry; OpenSearch 3 does so only where it is told. */
export function mappingsFor(server: 'quarry' | 'opensearch'): JsonObject {
  const scored: JsonObject = server === 'opensearch' ? { use_similarity: true } : {};
  const keyword: JsonObject = { type: 'keyword', ...scored };
  return {
    dynamic: 'strict',
    properties: {
      serial: { type: 'integer' },
      single_value: { type: 'double' },
      title: {
        type: 'text',
        fields: { raw: keyword, english: { type: 'text', analyzer: 'english' }, length: LENGTH },
      },
      body: { type: 'text', index_options: 'offsets' },
      note: { type: 'text', term_vector: 'with_positions_offsets', fielddata: true },
      tags: keyword,
      code: { ...keyword, normalizer: 'lower', ignore_above: 20 },
      colour: { ...keyword, null_value: 'none' },
      kind: { type: 'constant_keyword', value: 'thing' },
      // OpenSearch sorts by them only where it is told to keep their values.
      wild: { type: 'wildcard', doc_values: true },
      flag: { type: 'boolean' },
      ...numbers,
      ...ranges,
      day: { type: 'date' },
      stamp: { type: 'date', format: 'yyyy-MM-dd HH:mm:ss||epoch_millis' },
      nanos: { type: 'date_nanos' },
      address: { type: 'ip' },
      place: { type: 'geo_point' },
      area: { type: 'geo_shape' },
      importance: { type: 'rank_feature' },
      features: { type: 'rank_features' },
      flat: { type: 'flat_object' },
      typing: { type: 'search_as_you_type' },
      inputs: { type: 'completion' },
      relation: { type: 'join', relations: { question: ['answer', 'remark'], answer: 'vote' } },
      same: { type: 'alias', path: 'tags' },
      inner: { properties: { word: keyword, number: { type: 'integer' } } },
      comments: {
        type: 'nested',
        properties: {
          author: keyword,
          stars: { type: 'integer' },
          text: { type: 'text' },
          when: { type: 'date' },
          replies: { type: 'nested', properties: { author: keyword, likes: { type: 'integer' } } },
        },
      },
    },
  };
}

const LENGTH: JsonObject = { type: 'token_count', analyzer: 'standard' };

export const ANALYSIS: JsonObject = {
  normalizer: { lower: { type: 'custom', filter: ['lowercase', 'asciifolding'] } },
};
