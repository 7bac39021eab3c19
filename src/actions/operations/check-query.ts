/** A query put to one document, or to none: what it means to a shard. Plans are encoded JSON. */
import type { ExplainedDocument } from '../../native/searcher.js';
import { defineReadOperation } from '../shard-operation.js';
import { onSearcher, type PlanInput } from './search-shard.js';

/** Null when searches do not see the document. */
export const explainDocument = defineReadOperation(
  'explain-document',
  (shard, { plan }: PlanInput, context): Promise<ExplainedDocument | null> =>
    onSearcher(shard, undefined, context, (searcher) => searcher.explain(plan)),
);

/** The query as text. */
export const describeQuery = defineReadOperation(
  'describe-query',
  (shard, { plan }: PlanInput, context): Promise<string> =>
    onSearcher(shard, undefined, context, (searcher) => searcher.describe(plan)),
);
