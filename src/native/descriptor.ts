/**
 * The words that describe one item of a bulk request to a shard: `native-bindings/kernels/src/shard/descriptor.rs` reads
 * the same layout. A request on a single document is described as one item.
 *
 * | word | what |
 * | --- | --- |
 * | 0 | position in the list of index names |
 * | 1 | action in bits 0..8, flags in bits 8..16, version type in bits 16..24 |
 * | 2, 3 | id: offset and length in the strings |
 * | 4, 5 | routing: the same |
 * | 6, 7 | source: offset and length in the body |
 * | 8, 9 | version, low word first |
 * | 10, 11 | `if_seq_no` |
 * | 12, 13 | `if_primary_term` |
 * | 14, 15 | `_source` of an update: offset and length of its JSON in the strings |
 */
import { native } from './addon.js';
import type { BulkItems, SourceSpec } from './bulk.js';
import { guarded } from './errors.js';

export const DESCRIPTOR_WORDS = 16;

const WORD = {
  index: 0,
  action: 1,
  id: 2,
  routing: 4,
  source: 6,
  version: 8,
  ifSeqNo: 10,
  ifPrimaryTerm: 12,
  sourceSpec: 14,
} as const;

const FLAG = {
  autoId: 1 << 8,
  routing: 1 << 9,
  requireAlias: 1 << 10,
  version: 1 << 11,
  ifSeqNo: 1 << 12,
  sourceSpec: 1 << 13,
} as const;

/** In the order of their codes. */
const ACTIONS = ['index', 'create', 'update', 'delete'] as const;
export type ItemAction = (typeof ACTIONS)[number];

const VERSION_TYPES = ['internal', 'external', 'external_gte'] as const;
export type VersionType = (typeof VERSION_TYPES)[number];

/** One action on one document, as the single-document endpoints know it. */
export interface DocumentAction {
  readonly action: ItemAction;
  readonly id: string;
  /** The id was made for this request: it cannot exist yet. */
  readonly autoId?: boolean;
  readonly routing?: string;
  readonly version?: number;
  readonly versionType?: VersionType;
  readonly ifSeqNo?: number;
  readonly ifPrimaryTerm?: number;
  /** Updates only: the answer shows the new source. */
  readonly source?: SourceSpec;
}

/** Only a primary term was given: refused by the validation. */
const UNASSIGNED_SEQ_NO = -1;

const encoder = new TextEncoder();
const decoder = new TextDecoder();

/** Two words; -1 sets all bits. */
function setLong(words: Uint32Array, at: number, value: number): void {
  words[at] = value;
  words[at + 1] = Math.floor(value / 0x1_0000_0000);
}

/**
 * Describes one action whose document is the whole body. Throws `action_request_validation_exception` naming everything
 * in it that contradicts itself.
 */
export function describeDocument(action: DocumentAction, bodyLength: number): BulkItems {
  const words = new Uint32Array(DESCRIPTOR_WORDS);
  const sourceSpec = action.source === undefined ? undefined : JSON.stringify(action.source);
  const parts = [action.id, action.routing ?? '', sourceSpec ?? ''].map((part) => encoder.encode(part));
  let offset = 0;
  [WORD.id, WORD.routing, WORD.sourceSpec].forEach((word, part) => {
    const length = parts[part]?.length ?? 0;
    words[word] = offset;
    words[word + 1] = length;
    offset += length;
  });
  words[WORD.source + 1] = bodyLength;
  words[WORD.action] =
    ACTIONS.indexOf(action.action) |
    (action.autoId === true ? FLAG.autoId : 0) |
    (action.routing === undefined ? 0 : FLAG.routing) |
    (action.version === undefined ? 0 : FLAG.version) |
    (action.ifSeqNo === undefined && action.ifPrimaryTerm === undefined ? 0 : FLAG.ifSeqNo) |
    (sourceSpec === undefined ? 0 : FLAG.sourceSpec) |
    (VERSION_TYPES.indexOf(action.versionType ?? 'internal') << 16);
  setLong(words, WORD.version, action.version ?? 0);
  setLong(words, WORD.ifSeqNo, action.ifSeqNo ?? UNASSIGNED_SEQ_NO);
  setLong(words, WORD.ifPrimaryTerm, action.ifPrimaryTerm ?? 0);
  const strings = Buffer.concat(parts);
  guarded(() => {
    native().validateItems(words, strings);
  });
  return { descriptors: words, strings };
}

function wordOf(items: BulkItems, item: number, word: number): number {
  return items.descriptors[item * DESCRIPTOR_WORDS + word] ?? 0;
}

function stringOf(items: BulkItems, item: number, word: number): string {
  const start = wordOf(items, item, word);
  return decoder.decode(items.strings.subarray(start, start + wordOf(items, item, word + 1)));
}

export function itemCount(items: BulkItems): number {
  return items.descriptors.length / DESCRIPTOR_WORDS;
}

/** Position of the item's index in `indexNames`. */
export function indexOfItem(items: BulkItems, item: number): number {
  return wordOf(items, item, WORD.index);
}

export function actionOfItem(items: BulkItems, item: number): ItemAction {
  return ACTIONS[wordOf(items, item, WORD.action) & 0xff] ?? 'index';
}

export function idOfItem(items: BulkItems, item: number): string {
  return stringOf(items, item, WORD.id);
}

export function routingOfItem(items: BulkItems, item: number): string | undefined {
  return (wordOf(items, item, WORD.action) & FLAG.routing) === 0 ? undefined : stringOf(items, item, WORD.routing);
}

export function requiresAlias(items: BulkItems, item: number): boolean {
  return (wordOf(items, item, WORD.action) & FLAG.requireAlias) !== 0;
}

export function versionTypeOfItem(items: BulkItems, item: number): VersionType {
  return VERSION_TYPES[(wordOf(items, item, WORD.action) >>> 16) & 0xff] ?? 'internal';
}

/** The same items where the given ones have this routing: what an alias with `index_routing` demands. */
export function withRouting(items: BulkItems, routings: ReadonlyMap<number, string>): BulkItems {
  const descriptors = items.descriptors.slice();
  const added = [...routings].map(([item, routing]) => ({ item, bytes: encoder.encode(routing) }));
  let offset = items.strings.length;
  for (const { item, bytes } of added) {
    const at = item * DESCRIPTOR_WORDS;
    descriptors[at + WORD.routing] = offset;
    descriptors[at + WORD.routing + 1] = bytes.length;
    descriptors[at + WORD.action] = (descriptors[at + WORD.action] ?? 0) | FLAG.routing;
    offset += bytes.length;
  }
  return { descriptors, strings: Buffer.concat([items.strings, ...added.map(({ bytes }) => bytes)]) };
}
