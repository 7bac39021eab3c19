/** Endpoints that tell what the master knows: a node that knows none waits for one, unless it is asked for what it knows itself. */
import type { ActionContext } from '../actions/context.js';
import { masterNotDiscovered } from '../cluster/blocks/global-blocks.js';
import type { RestRequest } from './endpoint.js';

/** Those that ask the master anyway, such as health, are not here. */
const MASTER_READS: ReadonlySet<string> = new Set([
  'cat.aliases',
  'cat.allocation',
  'cat.component_templates',
  'cat.indices',
  'cat.master',
  'cat.nodeattrs',
  'cat.nodes',
  'cat.plugins',
  'cat.segments',
  'cat.shards',
  'cat.templates',
  'cat.thread_pool',
  'cluster.get_component_template',
  'cluster.get_settings',
  'cluster.state',
  'get_script',
  'ilm.explain_lifecycle',
  'ilm.get_lifecycle',
  'ilm.get_status',
  'indices.explain_data_lifecycle',
  'indices.get',
  'indices.get_alias',
  'indices.get_data_lifecycle',
  'indices.get_data_stream',
  'indices.get_data_stream_mappings',
  'indices.get_data_stream_options',
  'indices.get_data_stream_settings',
  'indices.get_index_template',
  'indices.get_mapping',
  'indices.get_settings',
  'indices.get_template',
  'indices.shard_stores',
  'ingest.get_pipeline',
  'migration.deprecations',
  'search_shards',
  'shutdown.get_node',
  'slm.get_lifecycle',
  'slm.get_stats',
  'slm.get_status',
]);
const WAIT_MS = 30_000;

/** Rejects with `master_not_discovered_exception` when `master_timeout` is over before there is a master. */
export async function whenMasterIsKnown(name: string, request: RestRequest, context: ActionContext): Promise<void> {
  if (!MASTER_READS.has(name) || context.clusterState().masterNodeId !== '') return;
  // The erased types of `parameters` are those that `rest/parameters.ts` gives to these names everywhere.
  const { local, help, master_timeout, cluster_manager_timeout } = request.parameters as Partial<
    Record<string, unknown>
  >;
  if (local === true || help === true) return;
  const wanted = request.sentParameters.has('cluster_manager_timeout') ? cluster_manager_timeout : master_timeout;
  const timeoutMs = typeof wanted === 'number' ? wanted : WAIT_MS;
  const state = await context.whenState(({ masterNodeId }) => masterNodeId !== '', timeoutMs);
  context.cancellation.throwIfCancelled();
  if (state === undefined) throw masterNotDiscovered();
}
