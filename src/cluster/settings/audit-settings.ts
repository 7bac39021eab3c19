/** What the audit log of each node tells, by the names of the reference. */
import { illegalArgument } from '../../base/errors.js';
import type { SettingValue } from './flat-settings.js';
import { setting, type SettingGroup } from './registry.js';
import { booleanKind, listKind, type SettingKind } from './setting-kinds.js';

const PREFIX = 'xpack.security.audit.logfile.';
export const AUDIT_FILTERS = `${PREFIX}events.ignore_filters.`;

const USUAL_EVENTS = [
  'access_denied',
  'access_granted',
  'anonymous_access_denied',
  'authentication_failed',
  'run_as_denied',
  'run_as_granted',
  'security_config_change',
  'tampered_request',
] as const;
export const AUDIT_EVENTS = [...USUAL_EVENTS, 'authentication_success'] as const;
export type AuditEvent = (typeof AUDIT_EVENTS)[number];

/** There are no filters of addresses that it could tell of. */
const NEVER = ['connection_denied', 'connection_granted'];
const ALL = '_all';

/** Names of events in any case; `_all` stands for all of them. */
const eventsKind: SettingKind<readonly string[]> = {
  parse(value, key) {
    const names = listKind.parse(value, key).map((name) => name.toLowerCase());
    const known: readonly string[] = [...AUDIT_EVENTS, ...NEVER, ALL];
    const unknown = names.find((name) => !known.includes(name));
    if (unknown === undefined) return names.includes(ALL) ? AUDIT_EVENTS : names;
    throw illegalArgument(`invalid event name [${unknown}] in setting [${key}], expected are [${known.join(', ')}]`);
  },
};

const emits = (name: string, isEmitted: boolean): ReturnType<typeof setting<boolean>> =>
  setting(`${PREFIX}${name}`, booleanKind, String(isEmitted), 'dynamic');

export const AuditSettingDefinitions = {
  auditInclude: setting(`${PREFIX}events.include`, eventsKind, USUAL_EVENTS, 'dynamic'),
  auditExclude: setting(`${PREFIX}events.exclude`, eventsKind, [], 'dynamic'),
  auditRequestBody: emits('events.emit_request_body', false),
  auditClusterName: emits('emit_cluster_name', false),
  auditClusterUuid: emits('emit_cluster_uuid', true),
  auditNodeName: emits('emit_node_name', false),
  auditNodeId: emits('emit_node_id', true),
  auditHostName: emits('emit_node_host_name', false),
  auditHostAddress: emits('emit_node_host_address', false),
} as const;

/** What a policy `ignore_filters.<policy>.<rule>` may look at. */
export const AUDIT_RULES = ['users', 'realms', 'actions', 'roles', 'indices'] as const;

export const AUDIT_FILTER_GROUP: SettingGroup = { prefix: AUDIT_FILTERS, scope: 'dynamic', check: checkFilter };

function checkFilter(key: string, value: SettingValue): void {
  const [policy, rule, ...more] = key.slice(AUDIT_FILTERS.length).split('.');
  if (policy === '' || more.length > 0 || !AUDIT_RULES.some((each) => each === rule)) {
    throw illegalArgument(
      `unknown setting [${key}]: expected is [${AUDIT_FILTERS}<policy>.] and one of [${AUDIT_RULES.join(', ')}]`,
    );
  }
  listKind.parse(value, key);
}
