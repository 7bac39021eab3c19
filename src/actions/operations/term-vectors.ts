/** Term vectors of documents of one shard. */
import type { JsonObject } from '../../base/json-value.js';
import type { GetOptions } from '../../native/get-options.js';
import { present } from '../../native/present.js';
import { definePrimaryOperation } from '../shard-operation.js';
import { onSearcher } from './search-shard.js';

export interface TermVectorsInput {
  /** A document of the shard, or one that is only described. */
  readonly document: { readonly id: string; readonly options: GetOptions } | { readonly source: Uint8Array };
  /** Encoded JSON, see `TermVectorsPlan` of the kernels. */
  readonly plan: Uint8Array;
}

export interface TermVectorsOutput {
  readonly found: boolean;
  readonly version: number;
  /** JSON; empty when the document is not found. */
  readonly vectors: Uint8Array;
}

const NOTHING = new Uint8Array(0);

export const termVectors = definePrimaryOperation(
  'term-vectors',
  async (shard, input: TermVectorsInput, context): Promise<TermVectorsOutput> => {
    const { document, plan } = input;
    const vectorsOf = (source: Uint8Array): Promise<Uint8Array> =>
      onSearcher(shard, undefined, context, (searcher) => searcher.termVectors(source, plan));
    if ('source' in document) {
      return { found: true, version: 0, vectors: await vectorsOf(document.source) };
    }
    const { id, options } = document;
    const head = await present(() => shard.native.get(id, { ...options, source: false }));
    if (!head.found) return { found: false, version: 0, vectors: NOTHING };
    const { _version } = JSON.parse(Buffer.from(head.body).toString('utf8')) as JsonObject;
    const { body } = await present(() => shard.native.get(id, { ...options, sourceOnly: true }));
    const version = typeof _version === 'number' ? _version : 0;
    return { found: true, version, vectors: await vectorsOf(body.length > 0 ? body : NO_SOURCE) };
  },
);

/** Of a mapping that keeps none. */
const NO_SOURCE = Buffer.from('{}');
