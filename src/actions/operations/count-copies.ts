/** Tells in the answers of written items how many copies have them. */
import type { ItemAnswers } from '../../native/bulk.js';

/** How items begin to tell it: they are rendered before other copies have the operations. */
const BEFORE = Buffer.from('"_shards":{"total":');
const SUCCESSFUL = Buffer.from('"successful":1,"failed":');
const OFFSET = '"successful":'.length;
/** More digits would not fit in the place of the one. */
const COPIES_MAX = 9;

/** Changes the items in place. */
export function countCopies(answers: readonly ItemAnswers[], copies: number): void {
  if (copies === 1) return;
  const digit = '0'.charCodeAt(0) + Math.min(copies, COPIES_MAX);
  for (const { items, ends } of answers) {
    const bytes = Buffer.from(items.buffer, items.byteOffset, items.byteLength);
    let start = 0;
    for (const end of ends) {
      const item = bytes.subarray(start, end);
      // The first one: what follows may hold a document with members of these names.
      const shards = item.indexOf(BEFORE);
      const place = shards === -1 ? -1 : item.indexOf(SUCCESSFUL, shards);
      if (place !== -1) item[place + OFFSET] = digit;
      start = end;
    }
  }
}
