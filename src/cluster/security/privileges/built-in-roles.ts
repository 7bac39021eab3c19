/** Roles that are always there. Nobody can change them, or add one of the same name. */
import { once } from '../../../base/once.js';
import type { IndexPrivileges, RoleDescriptor } from '../role-descriptor.js';

interface Grants {
  readonly cluster?: readonly string[];
  readonly indices?: readonly IndexPrivileges[];
  readonly applications?: RoleDescriptor['applications'];
  readonly run_as?: readonly string[];
  readonly description: string;
}

function on(
  names: readonly string[],
  privileges: readonly string[],
  allow_restricted_indices = false,
): IndexPrivileges {
  return { names, privileges, allow_restricted_indices };
}

function role({ cluster = [], indices = [], applications = [], run_as = [], description }: Grants): RoleDescriptor {
  const metadata = { _reserved: true };
  return { cluster, indices, applications, run_as, metadata, transient_metadata: { enabled: true }, description };
}

const CONSOLE = 'kibana-*';
/** Names that do not begin with a dot. */
const USUAL_NAMES = '/[^.].*/';
/** Names, figures, mappings and settings. `view_index_metadata` has more: explained queries would tell terms of documents. */
const SEEN_IN_CONSOLE = ['monitor', 'indices:admin/get', 'indices:admin/mappings/get'];
const SHIPPED = ['.monitoring-*', 'metricbeat-*'];

const ALL: Readonly<Record<string, Grants>> = {
  superuser: {
    cluster: ['all'],
    indices: [on(['*'], ['all']), on(['*'], ['monitor', 'read', 'view_index_metadata', 'read_cross_cluster'], true)],
    applications: [{ application: '*', privileges: ['*'], resources: ['*'] }],
    run_as: ['*'],
    description: 'Grants full access to cluster management and all indices, and to run as any other user.',
  },
  // What the pages of `src/console/` read. Who changes something, or reads documents, needs another role beside it.
  console_admin: {
    cluster: ['manage_own_api_key', 'monitor', 'monitor_snapshot', 'read_slm'],
    indices: [on(['*'], SEEN_IN_CONSOLE, true)],
    applications: [{ application: CONSOLE, privileges: ['all'], resources: ['*'] }],
    description:
      'Grants access to everything that the pages of the console show: nodes, tasks, snapshots, policies, and all ' +
      'indices without their documents. What the pages change needs further privileges.',
  },
  kibana_admin: {
    applications: [{ application: 'kibana-.kibana', privileges: ['all'], resources: ['*'] }],
    description: 'Grants access to all features in Kibana.',
  },
  editor: {
    indices: [
      on([USUAL_NAMES], ['read', 'view_index_metadata']),
      on(['observability-annotations'], ['read', 'view_index_metadata', 'write']),
    ],
    applications: [{ application: 'kibana-.kibana', privileges: ['all'], resources: ['*'] }],
    description: 'Grants full access to all features in Kibana, and read-only access to data.',
  },
  viewer: {
    indices: [on([USUAL_NAMES], ['read', 'view_index_metadata'])],
    applications: [{ application: 'kibana-.kibana', privileges: ['read'], resources: ['*'] }],
    description: 'Grants read-only access to all features in Kibana, and to data.',
  },
  monitoring_user: {
    cluster: ['cluster:monitor/main', 'cluster:monitor/xpack/info', 'cluster:monitor/remote/info'],
    indices: [on(SHIPPED, ['read', 'read_cross_cluster'])],
    applications: [{ application: CONSOLE, privileges: ['reserved_monitoring'], resources: ['*'] }],
    description: 'Grants the minimum privileges that a user of monitoring needs.',
  },
  remote_monitoring_agent: {
    cluster: [
      'manage_index_templates',
      'manage_ingest_pipelines',
      'monitor',
      'cluster:admin/ilm/get',
      'cluster:admin/ilm/put',
      'cluster:monitor/xpack/watcher/watch/get',
    ],
    indices: [
      on(['.monitoring-*'], ['all']),
      on(
        ['metricbeat-*'],
        ['index', 'create_index', 'view_index_metadata', 'indices:admin/aliases', 'indices:admin/rollover'],
      ),
    ],
    description: 'Grants the minimum privileges to write data into monitoring indices.',
  },
  remote_monitoring_collector: {
    cluster: ['monitor'],
    indices: [on(['*'], ['monitor'], true), on(['.kibana*'], ['read'])],
    description: 'Grants the minimum privileges to collect monitoring data.',
  },
  ingest_admin: {
    cluster: ['manage_index_templates', 'manage_pipeline'],
    description: 'Grants access to manage all index templates and all ingest pipelines.',
  },
  snapshot_user: {
    cluster: ['create_snapshot', 'cluster:admin/repository/get'],
    indices: [on(['*'], ['view_index_metadata'], true)],
    description:
      'Grants access to create snapshots of all indices, and to view their metadata. It does not allow to restore.',
  },
  transport_client: {
    cluster: ['transport_client'],
    description: 'Grants what clients need that ask which nodes there are.',
  },
  beats_system: {
    cluster: ['monitor', 'cluster:admin/xpack/monitoring/bulk'],
    indices: [on(['.monitoring-beats-*'], ['create_index', 'create'])],
    description: 'Grants what shippers need to send their monitoring data.',
  },
  logstash_system: {
    cluster: ['monitor', 'cluster:admin/xpack/monitoring/bulk'],
    description: 'Grants what Logstash needs to send its monitoring data.',
  },
};

/** By name, in order of the names. */
export const builtInRoles = once(
  (): ReadonlyMap<string, RoleDescriptor> =>
    new Map(
      Object.entries(ALL)
        .sort(([left], [right]) => (left < right ? -1 : 1))
        .map(([name, grants]) => [name, role(grants)]),
    ),
);
