/** Cluster privileges by their documented names. Names of features that Quarry does not have are known, so that roles of other tools are accepted. */
import { illegalArgument } from '../../../base/errors.js';
import { once } from '../../../base/once.js';
import { ActionSet, byAccessLevel, type NamedPrivilege } from './named-privilege.js';

const SECURITY = 'cluster:admin/xpack/security/';
const ALL = ['cluster:*', 'indices:admin/template/*', 'indices:admin/index_template/*'];
const TEMPLATES_READ = [
  'indices:admin/template/get',
  'cluster:admin/component_template/get',
  'indices:admin/index_template/get',
];
const SNAPSHOTS_READ = [
  'cluster:admin/snapshot/status*',
  'cluster:admin/snapshot/get',
  'cluster:admin/repository/get',
  'cluster:admin/repository/get[*',
];
const TRANSFORMS = ['cluster:monitor/data_frame/*', 'cluster:monitor/transform/*'];
const TRANSFORMS_WRITTEN = ['cluster:admin/data_frame/*', 'cluster:admin/transform/*', ...TRANSFORMS];

/** Granted to the creator of an API key on his own keys only; the endpoints say which requests those are. */
export const MANAGE_OWN_API_KEY = 'manage_own_api_key';

const PATTERNS: Readonly<Record<string, readonly string[]>> = {
  none: [],
  all: ALL,
  cancel_task: ['cluster:admin/tasks/cancel*'],
  create_snapshot: ['cluster:admin/snapshot/create', ...SNAPSHOTS_READ],
  cross_cluster_replication: ['cluster:internal/remote_cluster/handshake', 'cluster:internal/remote_cluster/nodes'],
  cross_cluster_search: ['cluster:internal/remote_cluster/handshake', 'cluster:internal/remote_cluster/nodes'],
  delegate_pki: [`${SECURITY}delegate_pki`, `${SECURITY}token/invalidate`],
  grant_api_key: [`${SECURITY}api_key/grant*`],
  manage_api_key: [`${SECURITY}api_key/*`],
  manage_autoscaling: ['cluster:admin/autoscaling/*'],
  manage_behavioral_analytics: ['cluster:admin/xpack/application/analytics/*'],
  manage_ccr: ['cluster:admin/xpack/ccr/*', 'cluster:monitor/state', `${SECURITY}user/has_privileges`],
  manage_connector: ['cluster:admin/xpack/connector/*'],
  manage_data_frame_transforms: TRANSFORMS_WRITTEN,
  manage_data_stream_global_retention: ['cluster:admin/data_stream/global_retention/*'],
  manage_enrich: ['cluster:admin/xpack/enrich/*'],
  manage_ilm: ['cluster:admin/ilm/*'],
  manage_index_templates: [
    'indices:admin/template/*',
    'indices:admin/index_template/*',
    'cluster:admin/component_template/*',
  ],
  manage_inference: ['cluster:admin/xpack/inference/*', 'cluster:monitor/xpack/inference*'],
  manage_ingest_pipelines: ['cluster:admin/ingest/pipeline/*'],
  manage_logstash_pipelines: ['cluster:admin/logstash/pipeline/*'],
  manage_ml: ['cluster:admin/xpack/ml/*', 'cluster:monitor/xpack/ml/*'],
  manage_oidc: [`${SECURITY}oidc/*`],
  [MANAGE_OWN_API_KEY]: [`${SECURITY}api_key/own/*`],
  manage_pipeline: ['cluster:admin/ingest/pipeline/*'],
  manage_rollup: ['cluster:admin/xpack/rollup/*', 'cluster:monitor/xpack/rollup/*'],
  manage_saml: [
    `${SECURITY}saml/*`,
    `${SECURITY}token/invalidate`,
    `${SECURITY}token/refresh`,
    'cluster:monitor/xpack/security/saml/metadata',
  ],
  manage_search_application: ['cluster:admin/xpack/application/search_application/*'],
  manage_search_query_rules: ['cluster:admin/xpack/query_rules/*'],
  manage_search_synonyms: ['cluster:admin/synonyms/*', 'cluster:admin/synonym_rules/*'],
  manage_security: [`${SECURITY}*`],
  manage_service_account: [`${SECURITY}service_account/*`],
  manage_slm: [
    'cluster:admin/slm/*',
    'cluster:admin/opensearch/snapshot_management/*',
    'cluster:admin/ilm/start',
    'cluster:admin/ilm/stop',
    'cluster:admin/ilm/operation_mode/get',
  ],
  manage_token: [`${SECURITY}token/*`],
  manage_transform: TRANSFORMS_WRITTEN,
  manage_user_profile: [`${SECURITY}profile/*`],
  manage_watcher: ['cluster:admin/xpack/watcher/*', 'cluster:monitor/xpack/watcher/*'],
  monitor: ['cluster:monitor/*', ...TEMPLATES_READ],
  monitor_connector: ['cluster:admin/xpack/connector/list', 'cluster:admin/xpack/connector/get'],
  monitor_data_frame_transforms: TRANSFORMS,
  monitor_data_stream_global_retention: ['cluster:monitor/data_stream/global_retention/*'],
  monitor_enrich: [
    'cluster:monitor/xpack/enrich/*',
    'cluster:admin/xpack/enrich/get',
    'cluster:admin/xpack/enrich/esql/resolve_policy',
  ],
  monitor_esql: ['cluster:monitor/xpack/esql/*'],
  monitor_inference: ['cluster:monitor/xpack/inference*', 'cluster:monitor/xpack/ml/trained_models/deployment/infer'],
  monitor_ml: ['cluster:monitor/xpack/ml/*'],
  monitor_rollup: ['cluster:monitor/xpack/rollup/*'],
  monitor_snapshot: SNAPSHOTS_READ,
  monitor_stats: ['cluster:monitor/stats*'],
  monitor_text_structure: ['cluster:monitor/text_structure/*'],
  monitor_transform: TRANSFORMS,
  monitor_watcher: ['cluster:monitor/xpack/watcher/*'],
  post_behavioral_analytics_event: ['cluster:admin/xpack/application/analytics/post_event'],
  read_ccr: ['cluster:monitor/state', `${SECURITY}user/has_privileges`],
  read_connector_secrets: ['cluster:admin/xpack/connector/secret/get'],
  read_fleet_secrets: ['cluster:admin/fleet/secrets/get'],
  read_ilm: ['cluster:admin/ilm/get', 'cluster:admin/ilm/operation_mode/get'],
  read_pipeline: ['cluster:admin/ingest/pipeline/get', 'cluster:admin/ingest/pipeline/simulate'],
  read_security: [
    `${SECURITY}api_key/get`,
    `${SECURITY}api_key/own/get`,
    `${SECURITY}api_key/own/query`,
    `${SECURITY}api_key/query`,
    `${SECURITY}privilege/builtin/get`,
    `${SECURITY}privilege/get`,
    `${SECURITY}profile/get`,
    `${SECURITY}profile/has_privileges`,
    `${SECURITY}profile/suggest`,
    `${SECURITY}role/get`,
    `${SECURITY}role/query`,
    `${SECURITY}role_mapping/get`,
    `${SECURITY}service_account/get`,
    `${SECURITY}service_account/credential/get*`,
    `${SECURITY}settings/get`,
    `${SECURITY}user/get`,
    `${SECURITY}user/query`,
    `${SECURITY}user/list_privileges`,
    `${SECURITY}user/has_privileges`,
  ],
  read_slm: [
    'cluster:admin/slm/get',
    'cluster:admin/slm/status',
    'cluster:admin/slm/stats',
    'cluster:admin/opensearch/snapshot_management/policy/explain',
    'cluster:admin/opensearch/snapshot_management/policy/get',
    'cluster:admin/opensearch/snapshot_management/policy/search',
    'cluster:admin/ilm/operation_mode/get',
  ],
  transport_client: ['cluster:monitor/nodes/liveness', 'cluster:monitor/state'],
  write_connector_secrets: ['cluster:admin/xpack/connector/secret/*'],
  write_fleet_secrets: ['cluster:admin/fleet/secrets/*'],
};

const inOrder = once(() =>
  byAccessLevel([
    ...Object.entries(PATTERNS).map(([name, patterns]) => ({ name, actions: new ActionSet(patterns) })),
    { name: 'manage', actions: new ActionSet(ALL, [`${SECURITY}*`]) },
  ]),
);
const byName = once(() => new Map(inOrder().map((privilege) => [privilege.name, privilege])));
const everything = once(() => new ActionSet(ALL));

/** From the least to the most. */
export function clusterPrivilegeNames(): readonly string[] {
  return inOrder().map(({ name }) => name);
}

export function isClusterAction(name: string): boolean {
  return everything().has(name);
}

/** A documented name or an action, which stands for all whose names begin with it. Throws `illegal_argument_exception`. */
export function clusterPrivilege(name: string): ActionSet {
  const wanted = name.toLowerCase();
  if (isClusterAction(wanted)) return new ActionSet([`${wanted}*`]);
  const known = byName().get(wanted);
  if (known !== undefined) return known.actions;
  throw illegalArgument(
    `unknown cluster privilege [${wanted}]. a privilege must be either one of the predefined cluster privilege names ` +
      `[${clusterPrivilegeNames().join(',')}] or a pattern over one of the available cluster actions`,
  );
}

/** Names, from the least to the most. */
export function clusterPrivilegesThatGrant(action: string): readonly string[] {
  return namesThatGrant(inOrder(), action);
}

function namesThatGrant(privileges: readonly NamedPrivilege[], action: string): readonly string[] {
  return privileges.filter(({ actions }) => actions.has(action)).map(({ name }) => name);
}
