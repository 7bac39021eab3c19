/** The table of all endpoints. A new one is added to the table of its family. */
import { BY_QUERY_ENDPOINTS } from './by-query/endpoints.js';
import { CAT_ENDPOINTS } from './cat/endpoints.js';
import { CLUSTER_ENDPOINTS } from './cluster/endpoints.js';
import { DATA_STREAM_ENDPOINTS } from './data-streams/endpoints.js';
import { DOCUMENT_ENDPOINTS } from './document/endpoints.js';
import type { Endpoint } from './endpoint.js';
import { INDICES_ENDPOINTS } from './indices/endpoints.js';
import { INFO_ENDPOINTS } from './info/endpoints.js';
import { LIFECYCLE_ENDPOINTS } from './lifecycle/endpoints.js';
import { INGEST_ENDPOINTS } from './ingest/endpoints.js';
import { MIGRATION_ENDPOINTS } from './migration/endpoints.js';
import { METRICS_ENDPOINTS } from './metrics/endpoints.js';
import { SCRIPT_ENDPOINTS } from './scripts/endpoints.js';
import { SEARCH_ENDPOINTS } from './search/endpoints.js';
import { SNAPSHOT_ENDPOINTS } from './snapshots/endpoints.js';
import { SECURITY_ENDPOINTS } from './security/endpoints.js';
import { SLM_ENDPOINTS } from './slm/endpoints.js';
import { SM_ENDPOINTS } from './sm/endpoints.js';
import { TASK_ENDPOINTS } from './tasks/endpoints.js';
import { TEMPLATE_ENDPOINTS } from './templates/endpoints.js';

export const ENDPOINTS: readonly Endpoint[] = [
  ...BY_QUERY_ENDPOINTS,
  ...CAT_ENDPOINTS,
  ...CLUSTER_ENDPOINTS,
  ...DATA_STREAM_ENDPOINTS,
  ...DOCUMENT_ENDPOINTS,
  ...INDICES_ENDPOINTS,
  ...INFO_ENDPOINTS,
  ...LIFECYCLE_ENDPOINTS,
  ...INGEST_ENDPOINTS,
  ...METRICS_ENDPOINTS,
  ...MIGRATION_ENDPOINTS,
  ...SCRIPT_ENDPOINTS,
  ...SEARCH_ENDPOINTS,
  ...SECURITY_ENDPOINTS,
  ...SNAPSHOT_ENDPOINTS,
  ...SLM_ENDPOINTS,
  ...SM_ENDPOINTS,
  ...TASK_ENDPOINTS,
  ...TEMPLATE_ENDPOINTS,
];
