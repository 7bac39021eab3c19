/** Tells in the answers of written items how many copies have them. */
import type { ItemAnswers } from '../../native/bulk.js';

/** How items begin to tell it: they are rendered before other copies have the operations. */
const BEFORE = Buffer.from('"_shards":{"total":');
const SUCCESSFUL = Buffer.from('"successful":1,"failed":');
const OFFSET = '"successful":'.length;
const ONE_DIGIT_MAX = 9;

/** The same answers with the number of copies; they may share their bytes with those that were given. */
export function countCopies(answers: readonly ItemAnswers[], copies: number): readonly ItemAnswers[] {
  if (copies === 1) return answers;
  const digits = Buffer.from(String(copies));
  return answers.map((answer) => {
    const bytes = Buffer.from(answer.items.buffer, answer.items.byteOffset, answer.items.byteLength);
    const places = placesOfOne(bytes, answer.ends);
    if (copies <= ONE_DIGIT_MAX) {
      for (const place of places) if (place !== -1) digits.copy(bytes, place);
      return answer;
    }
    return withDigits(answer, bytes, places, digits);
  });
}

/** Where the digit of each item is; -1 in an item that was not written. */
function placesOfOne(bytes: Buffer, ends: Uint32Array): readonly number[] {
  let start = 0;
  return Array.from(ends, (end) => {
    const item = bytes.subarray(start, end);
    // The first one: what follows may hold a document with members of these names.
    const shards = item.indexOf(BEFORE);
    const at = shards === -1 ? -1 : item.indexOf(SUCCESSFUL, shards);
    const place = at === -1 ? -1 : start + at + OFFSET;
    start = end;
    return place;
  });
}

/** Several digits in the place of one. */
function withDigits(answer: ItemAnswers, bytes: Buffer, places: readonly number[], digits: Buffer): ItemAnswers {
  const parts: Buffer[] = [];
  const ends = answer.ends.slice();
  let start = 0;
  let added = 0;
  for (const [item, place] of places.entries()) {
    if (place !== -1) {
      parts.push(bytes.subarray(start, place), digits);
      start = place + 1;
      added += digits.length - 1;
    }
    ends[item] = (answer.ends[item] ?? 0) + added;
  }
  parts.push(bytes.subarray(start));
  return { ...answer, items: Buffer.concat(parts), ends };
}
