/** Describes single actions as items of a bulk request (`descriptor.ts` has the layout). */
import { native } from './addon.js';
import type { BulkItems } from './bulk.js';
import {
  ACTIONS,
  DESCRIPTOR_WORDS,
  FLAG,
  STRING_WORDS,
  VERSION_TYPES,
  WORD,
  type DocumentAction,
} from './descriptor.js';
import { guarded } from './errors.js';

/** Only a primary term was given: refused by the validation. */
const UNASSIGNED_SEQ_NO = -1;

const encoder = new TextEncoder();

/** An action whose document is part of a body. */
export interface PlacedAction extends DocumentAction {
  /** Position in the list of index names. */
  readonly index: number;
  readonly start: number;
  readonly length: number;
}

/**
 * Describes one action whose document is the whole body. Throws `action_request_validation_exception` naming everything
 * in it that contradicts itself.
 */
export function describeDocument(action: DocumentAction, bodyLength: number): BulkItems {
  return describeDocuments([{ ...action, index: 0, start: 0, length: bodyLength }]);
}

/** As {@link describeDocument}, of many. */
export function describeDocuments(actions: readonly PlacedAction[]): BulkItems {
  const descriptors = new Uint32Array(actions.length * DESCRIPTOR_WORDS);
  const strings: Uint8Array[] = [];
  let offset = 0;
  for (const [item, action] of actions.entries()) {
    const words = descriptors.subarray(item * DESCRIPTOR_WORDS, (item + 1) * DESCRIPTOR_WORDS);
    const sourceSpec = action.source === undefined ? '' : JSON.stringify(action.source);
    for (const [at, text] of [action.id, action.routing ?? '', sourceSpec].entries()) {
      const bytes = encoder.encode(text);
      const word = STRING_WORDS[at] ?? WORD.id;
      words[word] = offset;
      words[word + 1] = bytes.length;
      offset += bytes.length;
      if (bytes.length > 0) strings.push(bytes);
    }
    describeInto(words, action);
  }
  const items = { descriptors, strings: Buffer.concat(strings) };
  guarded(() => {
    native().validateItems(items.descriptors, items.strings);
  });
  return items;
}

/** All but its strings. */
function describeInto(words: Uint32Array, action: PlacedAction): void {
  words[WORD.index] = action.index;
  words[WORD.source] = action.start;
  words[WORD.source + 1] = action.length;
  words[WORD.action] =
    ACTIONS.indexOf(action.action) |
    (action.autoId === true ? FLAG.autoId : 0) |
    (action.routing === undefined ? 0 : FLAG.routing) |
    (action.version === undefined ? 0 : FLAG.version) |
    (action.ifSeqNo === undefined && action.ifPrimaryTerm === undefined ? 0 : FLAG.ifSeqNo) |
    (action.source === undefined ? 0 : FLAG.sourceSpec) |
    (VERSION_TYPES.indexOf(action.versionType ?? 'internal') << 16);
  setVersion(words, action.version ?? 0n);
  setLong(words, WORD.ifSeqNo, action.ifSeqNo ?? UNASSIGNED_SEQ_NO);
  setLong(words, WORD.ifPrimaryTerm, action.ifPrimaryTerm ?? 0);
}

/** Two words; -1 sets all bits. */
function setLong(words: Uint32Array, at: number, value: number): void {
  words[at] = value;
  words[at + 1] = Math.floor(value / 0x1_0000_0000);
}

function setVersion(words: Uint32Array, version: bigint): void {
  words[WORD.version] = Number(BigInt.asUintN(32, version));
  words[WORD.version + 1] = Number(BigInt.asUintN(32, version >> 32n));
}
