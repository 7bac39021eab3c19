/** Reads documents of one shard by id. */
import type { GetOptions, GetResult } from '../../native/get-options.js';
import { present } from '../../native/present.js';
import { gets, type PublishedCopy } from '../../native/published-copy.js';
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
  (shard, input: GetDocumentsInput): GetDocumentsOutput | Promise<GetDocumentsOutput> => {
    if (input.refresh) shard.refresh();
    return gets.within(() => present(() => input.documents.map(({ id, options }) => shard.native.get(id, options))));
  },
  { onPublished: readPublished },
);

/** All of them, or none: those that only the owner knows cost a message to it in any case. */
function readPublished(
  copy: PublishedCopy,
  { documents, refresh }: GetDocumentsInput,
  isNear: boolean,
): GetDocumentsOutput | undefined {
  return refresh ? undefined : copy.getAll(documents, isNear);
}
