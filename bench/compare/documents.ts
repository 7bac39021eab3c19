/** Random documents over the fields of `fields.ts`: values that are missing, null or several are among them. */
import type { Chance } from './chance.js';
import * as fields from './fields.js';
import type { Json, JsonObject } from '../json.js';

export interface ComparedDocument {
  readonly id: string;
  /** Children of a join are where their parent is. */
  readonly routing?: string;
  readonly source: JsonObject;
}

/** A value, several, none, or null: in that order of frequency. */
function values(chance: Chance, make: () => Json): Json | undefined {
  const roll = chance.fraction();
  if (roll < 0.6) return make();
  if (roll < 0.78) return chance.times(1, 4, make);
  if (roll < 0.81) return null;
  if (roll < 0.83) return [];
  return undefined;
}

function comment(chance: Chance): JsonObject {
  return chance.options({
    author: [0.9, () => fields.author(chance)],
    stars: [0.85, () => chance.between(1, 5)],
    text: [0.8, () => fields.words(chance, 1, 8)],
    when: [0.7, () => fields.instant(chance)],
    replies: [0.4, () => chance.times(0, 3, () => reply(chance))],
  });
}

function reply(chance: Chance): JsonObject {
  return { author: fields.author(chance), ...chance.options({ likes: [0.8, () => chance.between(0, 20)] }) };
}

function flat(chance: Chance): JsonObject {
  return chance.options({
    kind: [0.8, () => fields.tag(chance)],
    deep: [0.5, () => ({ word: fields.word(chance), number: chance.between(0, 9) })],
    list: [0.3, () => chance.times(1, 3, () => fields.tag(chance))],
  });
}

const stamp = (chance: Chance): string => fields.instant(chance).slice(0, 19).replace('T', ' ');
const nanos = (chance: Chance): string => fields.instant(chance).replace('Z', `${chance.between(100, 999)}456Z`);

function relation(chance: Chance, parents: Readonly<Record<string, string[]>>, id: string): JsonObject {
  const names: readonly ['question', 'answer', 'remark', 'vote'] = ['question', 'answer', 'remark', 'vote'];
  const name = chance.pick(names);
  const above = name === 'question' ? undefined : name === 'vote' ? 'answer' : 'question';
  const known = above === undefined ? [] : (parents[above] ?? []);
  if (above === undefined || known.length === 0) {
    parents['question']?.push(id);
    return { name: 'question' };
  }
  parents[name]?.push(id);
  return { name, parent: chance.pick(known) };
}

function properties(chance: Chance): JsonObject {
  const several: Readonly<Record<string, () => Json>> = {
    title: () => fields.words(chance, 1, 6),
    body: () => fields.prose(chance),
    note: () => fields.words(chance, 1, 12),
    tags: () => fields.tag(chance),
    code: () => chance.pick(['Ab', 'aB', 'ÄB', 'cd', 'a very long code that is ignored', 'c-d']),
    colour: () => fields.tag(chance),
    wild: () => fields.words(chance, 1, 2),
    flag: () => chance.yes(0.4),
    ...Object.fromEntries(fields.NUMBERS.map(({ name, value }) => [name, () => value(chance)])),
    ...Object.fromEntries(fields.RANGES.map(({ name, value }) => [name, () => value(chance)])),
    day: () =>
      chance.one<Json>(
        () => fields.day(chance),
        () => fields.instant(chance),
        () => fields.moment(chance),
      ),
    stamp: () => stamp(chance),
    nanos: () => nanos(chance),
    address: () => fields.address(chance),
    place: () => fields.place(chance),
    typing: () => fields.words(chance, 1, 4),
  };
  const source: Record<string, Json> = {};
  for (const [name, make] of Object.entries(several)) {
    const value = values(chance, make);
    if (value !== undefined) source[name] = value;
  }
  return source;
}

export function randomDocuments(chance: Chance, count: number): ComparedDocument[] {
  const parents: Readonly<Record<string, string[]>> = { question: [], answer: [], remark: [], vote: [] };
  return Array.from({ length: count }, (_, serial) => {
    const id = `d${serial}`;
    const source: JsonObject = {
      serial,
      ...properties(chance),
      ...chance.options({
        single_value: [0.8, () => chance.between(1, 400) / 4],
        kind: [0.5, () => 'thing'],
        // OpenSearch takes one shape for a field.
        area: [0.7, () => fields.shape(chance)],
        importance: [0.7, () => chance.between(1, 100)],
        features: [0.6, () => ({ north: chance.between(1, 20), south: chance.between(1, 9) })],
        flat: [0.7, () => flat(chance)],
        inputs: [0.5, () => ({ input: [fields.words(chance, 1, 3)], weight: chance.between(1, 40) })],
        inner: [0.6, () => ({ word: fields.tag(chance), number: chance.between(0, 9) })],
        comments: [0.5, () => chance.times(0, 4, () => comment(chance))],
        relation: [0.5, () => relation(chance, parents, id)],
      }),
    };
    return { id, routing: 'one', source };
  });
}
