/** One document that pipelines shall change, and what they made of it. Plain data: it may go to another node. */
import type { PlainError } from '../../base/error-wire.js';
import type { VersionType } from '../../native/descriptor.js';

/** What a document is called, and under which conditions it is written. */
export interface DocumentMetadata {
  readonly index: string;
  /** Absent: one is made when the document is written. */
  readonly id?: string;
  readonly routing?: string;
  /** Decimal digits: all 64 bits of a version. */
  readonly version?: string;
  readonly versionType?: VersionType;
  readonly ifSeqNo?: number;
  readonly ifPrimaryTerm?: number;
  readonly action: 'index' | 'create';
}

export interface IngestItem extends DocumentMetadata {
  /** Ids in the order of their runs; `_none` is none. */
  readonly pipeline: string;
  readonly finalPipeline: string;
  /** JSON. */
  readonly source: Uint8Array;
}

export type IngestOutcome =
  | { readonly kind: 'changed'; readonly metadata: DocumentMetadata; readonly source: Uint8Array }
  | { readonly kind: 'dropped' }
  | { readonly kind: 'failed'; readonly error: PlainError };
