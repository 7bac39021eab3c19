/** The endpoints of the indices family. */
import type { Endpoint } from '../endpoint.js';
import { analyzeEndpoint } from './analysis/analyze.js';
import { clearCacheEndpoint } from './maintenance/clear-cache.js';
import { addBlockEndpoint, removeBlockEndpoint } from './block.js';
import { closeIndexEndpoint } from './close.js';
import { createIndexEndpoint } from './create.js';
import { deleteDanglingEndpoint, importDanglingEndpoint, listDanglingEndpoint } from './dangling.js';
import { deleteAliasEndpoint } from './aliases/delete-alias.js';
import { deleteIndexEndpoint } from './delete.js';
import { diskUsageEndpoint } from './statistics/disk-usage.js';
import { flushEndpoint } from './maintenance/flush.js';
import { forceMergeEndpoint } from './maintenance/force-merge.js';
import { getAliasEndpoint } from './aliases/get-alias.js';
import { getFieldMappingEndpoint } from './mapping/get-field-mapping.js';
import { getMappingEndpoint } from './mapping/get-mapping.js';
import { getSettingsEndpoint } from './settings/get-settings.js';
import { getIndexEndpoint } from './get.js';
import { openIndexEndpoint } from './open.js';
import { putAliasEndpoint } from './aliases/put-alias.js';
import { putMappingEndpoint } from './mapping/put-mapping.js';
import { putSettingsEndpoint } from './settings/put-settings.js';
import { recoveryEndpoint } from './statistics/recovery.js';
import { refreshEndpoint } from './maintenance/refresh.js';
import { cloneEndpoint, shrinkEndpoint, splitEndpoint } from './resize.js';
import { resolveClusterEndpoint } from './resolve-cluster.js';
import { resolveIndexEndpoint } from './resolve.js';
import { rolloverEndpoint } from './rollover.js';
import { segmentsEndpoint } from './statistics/segments.js';
import { shardStoresEndpoint } from './statistics/shard-stores.js';
import { statsEndpoint } from './statistics/stats.js';
import { updateAliasesEndpoint } from './aliases/update-aliases.js';

export const INDICES_ENDPOINTS: readonly Endpoint[] = [
  addBlockEndpoint,
  analyzeEndpoint,
  clearCacheEndpoint,
  cloneEndpoint,
  closeIndexEndpoint,
  createIndexEndpoint,
  deleteAliasEndpoint,
  deleteDanglingEndpoint,
  deleteIndexEndpoint,
  diskUsageEndpoint,
  flushEndpoint,
  forceMergeEndpoint,
  getAliasEndpoint,
  getFieldMappingEndpoint,
  getIndexEndpoint,
  getMappingEndpoint,
  getSettingsEndpoint,
  importDanglingEndpoint,
  listDanglingEndpoint,
  openIndexEndpoint,
  putAliasEndpoint,
  putMappingEndpoint,
  putSettingsEndpoint,
  recoveryEndpoint,
  removeBlockEndpoint,
  refreshEndpoint,
  resolveClusterEndpoint,
  resolveIndexEndpoint,
  rolloverEndpoint,
  segmentsEndpoint,
  shrinkEndpoint,
  splitEndpoint,
  shardStoresEndpoint,
  statsEndpoint,
  updateAliasesEndpoint,
];
