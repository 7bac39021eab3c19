/** The endpoints of the cat family, and the list of them at `GET _cat`. */
import { answerText } from '../answer.js';
import { defineEndpoint, type Endpoint } from '../endpoint.js';
import { catAliasesEndpoint } from './aliases.js';
import { catAllocationEndpoint } from './allocation.js';
import { catCircuitBreakerEndpoint } from './circuit-breaker.js';
import { catComponentTemplatesEndpoint } from './component-templates.js';
import { catCountEndpoint } from './count.js';
import { catFielddataEndpoint } from './fielddata.js';
import { catHealthEndpoint } from './health.js';
import { catIndicesEndpoint } from './indices.js';
import { catMasterEndpoint } from './master.js';
import { catNodeAttributesEndpoint } from './node-attributes.js';
import { catNodesEndpoint } from './nodes.js';
import { catPendingTasksEndpoint } from './pending-tasks.js';
import { catPluginsEndpoint } from './plugins.js';
import { catRecoveryEndpoint } from './recovery.js';
import { catRepositoriesEndpoint } from './repositories.js';
import { catSegmentReplicationEndpoint } from './segment-replication.js';
import { catSegmentsEndpoint } from './segments.js';
import { catShardsEndpoint } from './shards.js';
import { catSnapshotsEndpoint } from './snapshots.js';
import { catTasksEndpoint } from './tasks.js';
import { catTemplatesEndpoint } from './templates.js';
import { catThreadPoolEndpoint } from './thread-pool.js';

const TABLES: readonly Endpoint[] = [
  catAliasesEndpoint,
  catAllocationEndpoint,
  catCircuitBreakerEndpoint,
  catComponentTemplatesEndpoint,
  catCountEndpoint,
  catFielddataEndpoint,
  catHealthEndpoint,
  catIndicesEndpoint,
  catMasterEndpoint,
  catNodeAttributesEndpoint,
  catNodesEndpoint,
  catPendingTasksEndpoint,
  catPluginsEndpoint,
  catRecoveryEndpoint,
  catRepositoriesEndpoint,
  catSegmentReplicationEndpoint,
  catSegmentsEndpoint,
  catShardsEndpoint,
  catSnapshotsEndpoint,
  catTasksEndpoint,
  catTemplatesEndpoint,
  catThreadPoolEndpoint,
];

const catHelpEndpoint = defineEndpoint({
  name: 'cat.help',
  action: { name: 'cluster:monitor/cat/help', isOwn: () => true },
  methods: ['GET'],
  paths: ['/_cat'],
  parameters: {},
  body: 'none',
  pool: 'management',
  placement: 'any',
  handle() {
    const paths = TABLES.flatMap(({ routes }) =>
      routes.filter(({ method }) => method === 'GET').map(({ path }) => path),
    );
    return answerText(['=^.^=', ...paths.sort(), ''].join('\n'));
  },
});

export const CAT_ENDPOINTS: readonly Endpoint[] = [catHelpEndpoint, ...TABLES];
