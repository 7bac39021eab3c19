/** The table of all shard operations. A new one is added here and nowhere else. */
import type { ShardOperation } from './shard-operation.js';

export const SHARD_OPERATIONS = {} as const;

export type ShardOperationName = keyof typeof SHARD_OPERATIONS;
export type ShardOperationInput<Name extends ShardOperationName> =
  (typeof SHARD_OPERATIONS)[Name] extends ShardOperation<string, infer Input, unknown> ? Input : never;
export type ShardOperationOutput<Name extends ShardOperationName> =
  (typeof SHARD_OPERATIONS)[Name] extends ShardOperation<string, never, infer Output> ? Output : never;
