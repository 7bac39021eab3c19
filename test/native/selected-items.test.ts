/** Items of a bulk request that are taken out of it: for another node, or to be sent again. */
import { describe, expect, it } from 'vitest';
import { seededRandom } from '../../src/base/random.js';
import { splitBulk, type SplitBulk } from '../../src/native/bulk.js';
import {
  actionOfItem,
  DESCRIPTOR_WORDS,
  idOfItem,
  itemCount,
  routingOfItem,
  type ItemsInBody,
} from '../../src/native/descriptor.js';
import { selectItems, toRepeat } from '../../src/native/rewrite-items.js';

const SEED = Number(process.env.QUARRY_SEED ?? 20_261);

function split(lines: readonly unknown[]): { body: Uint8Array; items: SplitBulk } {
  const body = Buffer.from(lines.map((line) => `${JSON.stringify(line)}\n`).join(''), 'utf8');
  return { body, items: splitBulk(body, { index: 'a' }, new Uint8Array(11).fill(7)) };
}

function describeItem({ body, items }: ItemsInBody, item: number): unknown {
  const words = items.descriptors.subarray(item * DESCRIPTOR_WORDS, (item + 1) * DESCRIPTOR_WORDS);
  const [start = 0, length = 0] = words.subarray(6, 8);
  const [specStart = 0, specLength = 0] = words.subarray(14, 16);
  return {
    flags: words[1],
    id: idOfItem(items, item),
    routing: routingOfItem(items, item),
    source: Buffer.from(body.subarray(start, start + length)).toString('utf8'),
    spec: Buffer.from(items.strings.subarray(specStart, specStart + specLength)).toString('utf8'),
    numbers: [...words.subarray(8, 14)],
  };
}

describe('selected items', () => {
  it(`are what they were, without anything of the others (seed ${SEED})`, () => {
    const random = seededRandom(SEED);
    const lines: unknown[] = [];
    for (let at = 0; at < 200; at++) {
      const id = random.below(5) === 0 ? {} : { _id: `ö${at}` };
      const routing = random.below(3) === 0 ? { routing: `r${at}` } : {};
      const action = ['index', 'create', 'update', 'delete'][random.below(4)] ?? 'index';
      if (action === 'delete') lines.push({ delete: { _id: `d${at}`, ...routing } });
      else if (action === 'update') {
        lines.push({ update: { _id: `u${at}`, ...routing, _source: ['a', 'b'] } }, { doc: { at } });
      } else lines.push({ [action]: { ...id, ...routing } }, { at, text: 'x'.repeat(random.below(300)) });
    }
    const whole = split(lines);
    const selection = Uint32Array.from({ length: itemCount(whole.items) }, (_, at) => at).filter(
      () => random.below(3) === 0,
    );
    const alone = selectItems(whole, selection);
    expect(itemCount(alone.items)).toBe(selection.length);
    for (const [at, item] of selection.entries()) {
      expect(describeItem(alone, at)).toEqual(describeItem(whole, item));
    }
    const sources = [...selection].map((item) => describeItem(whole, item) as { source: string });
    expect(alone.body.length).toBe(sources.reduce((sum, { source }) => sum + Buffer.byteLength(source), 0));
  });
});

describe('items that are perhaps done already', () => {
  it('are sent again only where that changes nothing', () => {
    const { items } = split([
      ...[{ index: {} }, { n: 0 }],
      ...[{ create: {} }, { n: 1 }],
      ...[{ index: { _id: '2' } }, { n: 2 }],
      ...[{ create: { _id: '3' } }, { n: 3 }],
      ...[{ update: { _id: '4' } }, { doc: { n: 4 } }],
      { delete: { _id: '5' } },
      ...[{ index: { _id: '6', if_seq_no: 1, if_primary_term: 1 } }, { n: 6 }],
      ...[{ index: { _id: '7', version: 3, version_type: 'external' } }, { n: 7 }],
      ...[{ index: { _id: '8' } }, { n: 8 }],
    ]);
    const repeated = toRepeat(items, Uint32Array.of(0, 1, 2, 3, 4, 5, 6, 7));
    expect([...repeated.safe]).toEqual([0, 1, 2, 5]);
    expect([...repeated.unsafe]).toEqual([3, 4, 6, 7]);
    for (const item of [0, 1]) {
      expect(actionOfItem(repeated.items, item)).toBe(actionOfItem(items, item));
      expect(idOfItem(repeated.items, item)).toBe(idOfItem(items, item));
    }
    expect(actionOfItem(repeated.items, 5)).toBe('delete');
  });
});
