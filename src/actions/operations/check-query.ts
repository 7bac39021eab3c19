/** A query put to one document, or to none: what it means to a shard. Plans are encoded JSON. */
import type { ExplainedDocument } from '../../native/searcher.js';
import { defineShardOperation } from '../shard-operation.js';
import type { PlanInput } from './search-shard.js';

/** Null when searches do not see the document. */
export const explainDocument = defineShardOperation(
  'explain-document',
  (shard, input: PlanInput): ExplainedDocument | null => shard.searcher().explain(input.plan) ?? null,
);

/** The query as text. */
export const describeQuery = defineShardOperation('describe-query', (shard, input: PlanInput): string =>
  shard.searcher().describe(input.plan),
);
