/** The endpoints of repositories and snapshots. */
import type { Endpoint } from '../endpoint.js';
import { analyzeRepositoryEndpoint } from './analyze.js';
import { getSnapshotsEndpoint } from './get-snapshots.js';
import { mountSnapshotEndpoint } from './mount.js';
import {
  cleanRepositoryEndpoint,
  deleteRepositoryEndpoint,
  getRepositoryEndpoint,
  putRepositoryEndpoint,
  verifyRepositoryEndpoint,
} from './repository.js';
import { restoreSnapshotEndpoint } from './restore.js';
import { clearMountCacheEndpoint, mountCacheStatsEndpoint, mountStatsEndpoint } from './searchable-snapshots.js';
import { cloneSnapshotEndpoint, createSnapshotEndpoint, deleteSnapshotEndpoint } from './snapshot.js';
import { snapshotStatusEndpoint } from './status.js';
import { verifyIntegrityEndpoint } from './verify-integrity.js';

export const SNAPSHOT_ENDPOINTS: readonly Endpoint[] = [
  analyzeRepositoryEndpoint,
  cleanRepositoryEndpoint,
  clearMountCacheEndpoint,
  cloneSnapshotEndpoint,
  createSnapshotEndpoint,
  deleteRepositoryEndpoint,
  deleteSnapshotEndpoint,
  getRepositoryEndpoint,
  getSnapshotsEndpoint,
  mountCacheStatsEndpoint,
  mountSnapshotEndpoint,
  mountStatsEndpoint,
  putRepositoryEndpoint,
  restoreSnapshotEndpoint,
  snapshotStatusEndpoint,
  verifyIntegrityEndpoint,
  verifyRepositoryEndpoint,
];
