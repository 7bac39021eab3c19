/** What a bulk call on a shard takes and gives. */
import type { UnplannedTexts } from './planned-queries.js';

export interface BulkOptions {
  /** Position in `selection` to begin at: after a mapping update, `processed` of the call before. */
  readonly from?: number;
  readonly nowMs: number;
  /** Items say `forced_refresh`: the caller refreshes before it answers. */
  readonly forcedRefresh?: boolean;
  /** Items are plain document answers (`{"_index":..}`, no `{"index":{..}}` around them and no `status`). */
  readonly bare?: boolean;
}

export type UnmappedField =
  | {
      readonly path: string;
      readonly kind: 'string' | 'long' | 'double' | 'boolean' | 'date' | 'object';
      readonly format?: string;
      /** Of an array of nothing but fractions. */
      readonly dims?: number;
    }
  /** A mapped field whose first vector says how long all are. */
  | { readonly path: string; readonly kind: 'vector'; readonly dims: number }
  /** A mapped constant field whose first value is that of all documents. */
  | { readonly path: string; readonly kind: 'constant'; readonly value: string };

export interface BulkOutcome {
  /** Position in `selection` after the last item that was carried out. */
  readonly processed: number;
  /** One JSON object for each item carried out in this call, and where each ends. */
  readonly items: Uint8Array;
  readonly ends: Uint32Array;
  readonly statuses: Uint16Array;
  /** How many of them are errors. */
  readonly failed: number;
  /**
   * The document at `processed` holds fields that the mapping lacks (those of the rest of the batch are listed too): update
   * the mapping, then call again with `from: processed`.
   */
  readonly unmapped?: readonly UnmappedField[];
  /** With `unmapped`: texts of stored queries; the document at `processed` waits for the plans of its own. */
  readonly unplanned?: UnplannedTexts;
  /** Wait for `synced(location)` before acknowledging; 0 when nothing was written. */
  readonly location: number;
  /** -1 when there was no operation yet. */
  readonly maxSeqNo: number;
  /** See `slowIndexMs`. */
  readonly slow: readonly SlowItem[];
}

export interface SlowItem {
  /** Place among the items of the request. */
  readonly item: number;
  readonly tookMs: number;
}

const NOTHING_SLOW: readonly SlowItem[] = [];

/** From pairs of a place in the selection and microseconds. */
export function slowItems(pairs: Uint32Array | undefined, selection: Uint32Array): readonly SlowItem[] {
  if (pairs === undefined) return NOTHING_SLOW;
  const items: SlowItem[] = [];
  for (let at = 0; at + 1 < pairs.length; at += 2) {
    const item = selection[pairs[at] ?? 0];
    if (item !== undefined) items.push({ item, tookMs: (pairs[at + 1] ?? 0) / 1_000 });
  }
  return items;
}
