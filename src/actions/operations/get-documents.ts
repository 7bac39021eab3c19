/** Reads documents of one shard by id. */
import type { GetOptions, GetResult } from '../../native/shard.js';
import { definePrimaryOperation } from '../shard-operation.js';

export interface GetDocument {
  readonly id: string;
  readonly options: GetOptions;
}

export interface GetDocumentsInput {
  readonly documents: readonly GetDocument[];
  /** Refreshes first, for reads that are not real-time. */
  readonly refresh: boolean;
}

export type GetDocumentsOutput = readonly GetResult[];

export const getDocuments = definePrimaryOperation(
  'get-documents',
  (shard, input: GetDocumentsInput): GetDocumentsOutput => {
    if (input.refresh) shard.refresh();
    return input.documents.map(({ id, options }) => shard.native.get(id, options));
  },
);
