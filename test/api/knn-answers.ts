/** What tests of the nearest vectors read of answers. */
import { expect } from 'vitest';
import type { Answer, Json } from './node-harness.js';

/** The body of an answer without an error. */
export async function ok(answer: Promise<Answer>): Promise<Json> {
  const { status, text } = await answer;
  expect([status, text.slice(0, 400)]).toEqual([expect.toSatisfy((code: number) => code < 300), expect.anything()]);
  return JSON.parse(text);
}

export const hitsOf = (answer: Json): [string, number][] => answer.hits.hits.map((hit: Json) => [hit._id, hit._score]);

/** The ids of the hits, one after another. */
export const idsOf = (answer: Json): string => answer.hits.hits.map((hit: Json) => hit._id).join('');
