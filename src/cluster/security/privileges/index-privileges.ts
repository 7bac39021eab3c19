/** Index privileges by their documented names. */
import { illegalArgument } from '../../../base/errors.js';
import { once } from '../../../base/once.js';
import { ActionSet, byAccessLevel, type NamedPrivilege } from './named-privilege.js';

const ALL = ['indices:*', 'internal:transport/proxy/indices:*'];
const CREATE_INDEX = ['indices:admin/create', 'indices:admin/auto_create', 'indices:admin/data_stream/create'];

/**
 * What the references let through to failure stores of data streams alone. There are none here: no request has these actions, and only privileges are
 * compared by them.
 */
const READ_FAILURES = 'indices:failures/read/*';
const MANAGE_FAILURES = 'indices:failures/manage/*';

const FAILURE_PATTERNS: Readonly<Record<string, readonly string[]>> = {
  read_failure_store: [READ_FAILURES],
  manage_failure_store: [MANAGE_FAILURES],
};

const PATTERNS: Readonly<Record<string, readonly string[]>> = {
  none: [],
  all: ALL,
  auto_configure: ['indices:admin/mapping/auto_put', 'indices:admin/auto_create'],
  create: ['indices:data/write/index*', 'indices:data/write/bulk*', 'indices:data/write/simulate/bulk*'],
  create_doc: [
    'indices:data/write/index',
    'indices:data/write/index[*',
    'indices:data/write/index:op_type/create',
    'indices:data/write/bulk*',
    'indices:data/write/simulate/bulk*',
  ],
  create_index: CREATE_INDEX,
  cross_cluster_replication: [
    'indices:data/read/xpack/ccr/shard_changes*',
    'indices:monitor/stats*',
    'indices:admin/seq_no/add_retention_lease*',
    'indices:admin/seq_no/remove_retention_lease*',
    'indices:admin/seq_no/renew_retention_lease*',
  ],
  cross_cluster_replication_internal: [
    'indices:internal/admin/ccr/restore/session/clear*',
    'indices:internal/admin/ccr/restore/file_chunk/get*',
    'indices:internal/admin/ccr/restore/session/put*',
    'internal:transport/proxy/indices:internal/admin/ccr/restore/session/clear*',
    'internal:transport/proxy/indices:internal/admin/ccr/restore/file_chunk/get*',
  ],
  delete: ['indices:data/write/delete*', 'indices:data/write/bulk*'],
  delete_index: ['indices:admin/delete', 'indices:admin/data_stream/delete'],
  index: [
    'indices:data/write/index*',
    'indices:data/write/bulk*',
    'indices:data/write/simulate/bulk*',
    'indices:data/write/update*',
  ],
  maintenance: [
    'indices:admin/refresh*',
    'indices:admin/flush*',
    'indices:admin/synced_flush',
    'indices:admin/forcemerge*',
  ],
  manage: [
    'indices:monitor/*',
    'indices:admin/*',
    'indices:data/read/field_caps*',
    'indices:data/read/xpack/rollup/get/index/caps*',
    MANAGE_FAILURES,
  ],
  manage_data_stream_lifecycle: ['indices:admin/data_stream/lifecycle/*'],
  manage_follow_index: [
    'indices:admin/xpack/ccr/put_follow',
    'indices:admin/xpack/ccr/unfollow',
    'indices:admin/close*',
    'indices:admin/data_stream/promote',
    'indices:admin/rollover',
  ],
  manage_ilm: ['indices:admin/ilm/*'],
  manage_leader_index: ['indices:admin/xpack/ccr/forget_follower*'],
  monitor: ['indices:monitor/*'],
  read: ['indices:data/read/*', 'indices:admin/resolve/index'],
  read_cross_cluster: [
    'internal:transport/proxy/indices:data/read/*',
    'indices:admin/shards/search_shards',
    'indices:admin/search/search_shards',
    'indices:admin/resolve/cluster',
  ],
  view_index_metadata: [
    'indices:admin/aliases/get',
    'indices:admin/get',
    'indices:admin/mappings/fields/get*',
    'indices:admin/mappings/get',
    'indices:admin/shards/search_shards',
    'indices:admin/search/search_shards',
    'indices:admin/validate/query*',
    'indices:monitor/settings/get',
    'indices:admin/ilm/explain',
    'indices:admin/data_stream/get',
    'indices:admin/data_stream/lifecycle/get',
    'indices:admin/data_stream/lifecycle/explain',
    'indices:admin/resolve/index',
    'indices:admin/resolve/cluster',
    'indices:data/read/field_caps*',
    'indices:data/read/xpack/rollup/get/index/caps*',
    'indices:monitor/transform/checkpoint*',
    'indices:monitor/get/metering/stats',
  ],
  write: ['indices:data/write/*', 'indices:admin/mapping/auto_put'],
};

const inOrder = once(() => [FAILURE_PATTERNS, PATTERNS].flatMap((patterns) => byAccessLevel(privilegesOf(patterns))));
const byName = once(() => new Map(inOrder().map((privilege) => [privilege.name, privilege])));
const everything = once(() => new ActionSet(ALL));

function privilegesOf(patterns: typeof PATTERNS): readonly NamedPrivilege[] {
  return Object.entries(patterns).map(([name, each]) => ({ name, actions: new ActionSet(each) }));
}

/** From the least to the most, those of failure stores first. */
export function indexPrivilegeNames(): readonly string[] {
  return inOrder().map(({ name }) => name);
}

export function isIndexAction(name: string): boolean {
  return everything().has(name);
}

/** A documented name or an action, which stands for all whose names begin with it. Throws `illegal_argument_exception`. */
export function indexPrivilege(name: string): ActionSet {
  const wanted = name.toLowerCase();
  if (isIndexAction(wanted)) return new ActionSet([`${wanted}*`]);
  const known = byName().get(wanted);
  if (known !== undefined) return known.actions;
  throw illegalArgument(
    `unknown index privilege [${wanted}]. a privilege must be either one of the predefined fixed indices privileges ` +
      `[${indexPrivilegeNames().join(',')}] or a pattern over one of the available index actions`,
  );
}

/** Names, from the least to the most. */
export function indexPrivilegesThatGrant(action: string): readonly string[] {
  return inOrder()
    .filter(({ actions }) => actions.has(action))
    .map(({ name }) => name);
}
