/**
 * The words that describe one item of a bulk request to a shard: `native-bindings/engine/src/items/descriptor.rs` reads
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
import type { BulkItems, SourceSpec } from './bulk.js';

export const DESCRIPTOR_WORDS = 16;

export const WORD = {
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

/** What one item needs of the strings: offset and length follow each other. */
export const STRING_WORDS = [WORD.id, WORD.routing, WORD.sourceSpec] as const;

export const FLAG = {
  autoId: 1 << 8,
  routing: 1 << 9,
  requireAlias: 1 << 10,
  version: 1 << 11,
  ifSeqNo: 1 << 12,
  sourceSpec: 1 << 13,
  repeated: 1 << 14,
} as const;

/** In the order of their codes. */
export const ACTIONS = ['index', 'create', 'update', 'delete'] as const;
export type ItemAction = (typeof ACTIONS)[number];

export const VERSION_TYPES = ['internal', 'external', 'external_gte'] as const;
export type VersionType = (typeof VERSION_TYPES)[number];

/** One action on one document, as the single-document endpoints know it. */
export interface DocumentAction {
  readonly action: ItemAction;
  readonly id: string;
  /** The id was made for this request: it cannot exist yet. */
  readonly autoId?: boolean;
  readonly routing?: string;
  readonly version?: bigint;
  readonly versionType?: VersionType;
  readonly ifSeqNo?: number;
  readonly ifPrimaryTerm?: number;
  /** Updates only: the answer shows the new source. */
  readonly source?: SourceSpec;
}

const decoder = new TextDecoder();

/** Reads two words. */
function longAt(items: BulkItems, item: number, word: number): number {
  return wordOf(items, item, word) + wordOf(items, item, word + 1) * 0x1_0000_0000;
}

/** Versions have all 64 bits: other numbers of a description stay far below 2^53. */
function versionAt(items: BulkItems, item: number): bigint {
  const high = BigInt(wordOf(items, item, WORD.version + 1));
  return BigInt.asIntN(64, (high << 32n) | BigInt(wordOf(items, item, WORD.version)));
}

/** The action as it would be described anew. An update's `_source` is left out. */
export function actionAt(items: BulkItems, item: number): DocumentAction {
  const flags = wordOf(items, item, WORD.action);
  const routing = routingOfItem(items, item);
  const seqNo = longAt(items, item, WORD.ifSeqNo);
  return {
    action: actionOfItem(items, item),
    id: idOfItem(items, item),
    ...((flags & FLAG.autoId) === 0 ? {} : { autoId: true }),
    ...(routing === undefined ? {} : { routing }),
    ...((flags & FLAG.version) === 0 ? {} : { version: versionAt(items, item) }),
    ...(versionTypeOfItem(items, item) === 'internal' ? {} : { versionType: versionTypeOfItem(items, item) }),
    ...((flags & FLAG.ifSeqNo) === 0 ? {} : { ifSeqNo: seqNo, ifPrimaryTerm: longAt(items, item, WORD.ifPrimaryTerm) }),
  };
}

export function wordOf(items: BulkItems, item: number, word: number): number {
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

/** Length of the document as it was sent. */
export function sourceBytesOfItem(items: BulkItems, item: number): number {
  return wordOf(items, item, WORD.source + 1);
}

export function routingOfItem(items: BulkItems, item: number): string | undefined {
  return (wordOf(items, item, WORD.action) & FLAG.routing) === 0 ? undefined : stringOf(items, item, WORD.routing);
}

export function requiresAlias(items: BulkItems, item: number): boolean {
  return (wordOf(items, item, WORD.action) & FLAG.requireAlias) !== 0;
}

/** The item is carried out only if its document is still what it was. */
export function isConditionalItem(items: BulkItems, item: number): boolean {
  return (wordOf(items, item, WORD.action) & FLAG.ifSeqNo) !== 0;
}

/** Items with the body that their documents lie in. */
export interface ItemsInBody {
  readonly body: Uint8Array;
  readonly items: BulkItems;
}

/** The document, or the body of an update; empty for a deletion. */
export function sourceOfItem({ body, items }: ItemsInBody, item: number): Uint8Array {
  const start = wordOf(items, item, WORD.source);
  return body.subarray(start, start + wordOf(items, item, WORD.source + 1));
}

export function versionTypeOfItem(items: BulkItems, item: number): VersionType {
  return VERSION_TYPES[(wordOf(items, item, WORD.action) >>> 16) & 0xff] ?? 'internal';
}
