/** Accounts of programs that work with a cluster. They are built in; only their tokens come and go. */
import { must } from '../../base/assert.js';
import type { IndexPrivileges, RoleDescriptor } from './role-descriptor.js';

const on = (names: readonly string[], privileges: readonly string[]): IndexPrivileges => ({
  names,
  privileges,
  allow_restricted_indices: false,
});

const role = (cluster: readonly string[], indices: readonly IndexPrivileges[]): RoleDescriptor => ({
  cluster,
  indices,
  applications: [],
  run_as: [],
  metadata: {},
  transient_metadata: { enabled: true },
});

const SHIPPED = ['logs-*', 'metrics-*', 'traces-*', 'synthetics-*', '.logs-endpoint.action.responses-*'];

/** By `<namespace>/<service>`. */
export const SERVICE_ACCOUNTS: ReadonlyMap<string, RoleDescriptor> = new Map([
  [
    'elastic/fleet-server',
    role(
      ['monitor', 'manage_own_api_key'],
      [
        on(SHIPPED, ['write', 'create_index', 'auto_configure']),
        on(['profiling-*'], ['read', 'write', 'auto_configure']),
        on(['.fleet-*'], ['read', 'write', 'monitor', 'create_index', 'auto_configure', 'maintenance']),
      ],
    ),
  ],
  [
    'elastic/kibana',
    role(
      ['monitor', 'manage_index_templates', 'manage_ilm', 'manage_pipeline', 'manage_own_api_key', 'manage_security'],
      [
        on(['.kibana*', '.reporting-*', '.apm-*', '.fleet-*'], ['all']),
        on(['logs-*', 'metrics-*', 'traces-*'], ['read']),
      ],
    ),
  ],
]);

/** Of an account that exists. */
export function serviceAccountRole(account: string): RoleDescriptor {
  return must(SERVICE_ACCOUNTS.get(account), 'role of a service account');
}
