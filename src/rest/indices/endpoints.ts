/** The endpoints of the indices family. */
import type { Endpoint } from '../endpoint.js';
import { analyzeEndpoint } from './analyze.js';
import { clearCacheEndpoint } from './clear-cache.js';
import { addBlockEndpoint, removeBlockEndpoint } from './block.js';
import { closeIndexEndpoint } from './close.js';
import { createIndexEndpoint } from './create.js';
import { deleteDanglingEndpoint, importDanglingEndpoint, listDanglingEndpoint } from './dangling.js';
import { deleteAliasEndpoint } from './delete-alias.js';
import { deleteIndexEndpoint } from './delete.js';
import { diskUsageEndpoint } from './disk-usage.js';
import { flushEndpoint } from './flush.js';
import { forceMergeEndpoint } from './force-merge.js';
import { getAliasEndpoint } from './get-alias.js';
import { getFieldMappingEndpoint } from './get-field-mapping.js';
import { getMappingEndpoint } from './get-mapping.js';
import { getSettingsEndpoint } from './get-settings.js';
import { getIndexEndpoint } from './get.js';
import { openIndexEndpoint } from './open.js';
import { putAliasEndpoint } from './put-alias.js';
import { putMappingEndpoint } from './put-mapping.js';
import { putSettingsEndpoint } from './put-settings.js';
import { recoveryEndpoint } from './recovery.js';
import { refreshEndpoint } from './refresh.js';
import { cloneEndpoint, shrinkEndpoint, splitEndpoint } from './resize.js';
import { resolveClusterEndpoint } from './resolve-cluster.js';
import { resolveIndexEndpoint } from './resolve.js';
import { rolloverEndpoint } from './rollover.js';
import { segmentsEndpoint } from './segments.js';
import { shardStoresEndpoint } from './shard-stores.js';
import { statsEndpoint } from './stats.js';
import { updateAliasesEndpoint } from './update-aliases.js';

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
