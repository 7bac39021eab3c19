/** The table of all shard operations. A new one is added here and nowhere else. */
import type { BlockLevel } from '../cluster/blocks/blocks.js';
import { describeQuery, explainDocument } from './operations/check-query.js';
import { diskUsage, greatestValue } from './operations/disk-usage.js';
import { getDocuments } from './operations/get-documents.js';
import { listPits, namePit, openPit, releaseScrolls } from './operations/held-contexts.js';
import { lendFiles, prepareLending } from './operations/lend-files.js';
import {
  canMatch,
  countShard,
  fetchPhase,
  queryPhase,
  releaseSearcher,
  scrollPage,
  searchShard,
  statisticsPhase,
} from './operations/search-shard.js';
import {
  replicaAlign,
  replicaAppend,
  replicaFiles,
  replicaFinalize,
  replicaInstall,
  replicaRetain,
  replicaWriteFile,
} from './operations/replicate.js';
import {
  clearFieldData,
  clearRequestCache,
  contentChecksum,
  flushShard,
  forceMergeShard,
  refreshShard,
  shardCheckpoints,
  shardStatistics,
  shardWriteTime,
} from './operations/shard-maintenance.js';
import { clearRemoteFiles, remoteFiles } from './operations/remote-files.js';
import { snapshotProgress, snapshotShard } from './operations/snapshot-shard.js';
import { suggestShard } from './operations/suggest-shard.js';
import { termVectors } from './operations/term-vectors.js';
import { writeItems } from './operations/write-items.js';
import type { ShardOperation } from './shard-operation.js';

export const SHARD_OPERATIONS = {
  'can-match': canMatch,
  checkpoints: shardCheckpoints,
  'clear-field-data': clearFieldData,
  'clear-remote-files': clearRemoteFiles,
  'clear-request-cache': clearRequestCache,
  'content-checksum': contentChecksum,
  count: countShard,
  'describe-query': describeQuery,
  'disk-usage': diskUsage,
  'explain-document': explainDocument,
  'fetch-phase': fetchPhase,
  flush: flushShard,
  'force-merge': forceMergeShard,
  'get-documents': getDocuments,
  'greatest-value': greatestValue,
  'lend-files': lendFiles,
  'list-pits': listPits,
  'name-pit': namePit,
  'open-pit': openPit,
  'prepare-lending': prepareLending,
  'query-phase': queryPhase,
  refresh: refreshShard,
  'release-scrolls': releaseScrolls,
  'release-searcher': releaseSearcher,
  'remote-files': remoteFiles,
  'replica-align': replicaAlign,
  'replica-append': replicaAppend,
  'replica-files': replicaFiles,
  'replica-finalize': replicaFinalize,
  'replica-install': replicaInstall,
  'replica-retain': replicaRetain,
  'replica-write-file': replicaWriteFile,
  'scroll-page': scrollPage,
  search: searchShard,
  'snapshot-progress': snapshotProgress,
  'snapshot-shard': snapshotShard,
  statistics: shardStatistics,
  'statistics-phase': statisticsPhase,
  suggest: suggestShard,
  'term-vectors': termVectors,
  'write-items': writeItems,
  'write-time': shardWriteTime,
} as const;

/** What a node that was cut off may have to refuse although it holds the copy: another may have taken its place. */
export const OPERATION_LEVELS: Readonly<Partial<Record<keyof typeof SHARD_OPERATIONS, BlockLevel>>> = {
  count: 'read',
  'describe-query': 'read',
  'disk-usage': 'read',
  'explain-document': 'read',
  'get-documents': 'read',
  'greatest-value': 'read',
  'query-phase': 'read',
  search: 'read',
  'statistics-phase': 'read',
  suggest: 'read',
  'write-items': 'write',
};

/** What any copy may answer: one that is closed under it is looked for where it is then. */
export const READS: ReadonlySet<ShardOperationName> = new Set([
  ...(Object.keys(OPERATION_LEVELS) as ShardOperationName[]).filter((name) => OPERATION_LEVELS[name] === 'read'),
  'can-match',
  'open-pit',
]);

/** What waits until the primary is restored. Anything else fails meanwhile, as a restore may take hours. */
export const AFTER_RESTORES: ReadonlySet<ShardOperationName> = new Set([
  'lend-files',
  'prepare-lending',
  'write-items',
]);

export type ShardOperationName = keyof typeof SHARD_OPERATIONS;
export type ShardOperationInput<Name extends ShardOperationName> =
  (typeof SHARD_OPERATIONS)[Name] extends ShardOperation<string, infer Input, unknown> ? Input : never;
export type ShardOperationOutput<Name extends ShardOperationName> =
  (typeof SHARD_OPERATIONS)[Name] extends ShardOperation<string, never, infer Output> ? Output : never;
