/** Which events the audit log tells of, by the settings of the cluster. Pure. */
import { matchesAny } from '../../names/wildcard.js';
import {
  AUDIT_FILTERS,
  AuditSettingDefinitions,
  type AUDIT_RULES,
  type AuditEvent,
} from '../../settings/audit-settings.js';
import { effectiveClusterSettings } from '../../settings/effective-cluster-settings.js';
import type { FlatSettings } from '../../settings/flat-settings.js';
import { valueOf } from '../../settings/registry.js';
import { listKind } from '../../settings/setting-kinds.js';
import type { ClusterState } from '../../state.js';
import type { AuditEntry } from './audit-entry.js';

type Rule = (typeof AUDIT_RULES)[number];
type Filter = Readonly<Partial<Record<Rule, readonly string[]>>>;

export interface AuditPolicy {
  tellsOf(event: AuditEvent): boolean;
  /** Whether a filter has the log say nothing of it. Changes of security are always told. */
  ignores(entry: AuditEntry): boolean;
  readonly emitsBody: boolean;
}

/** The same object for the same settings: each request asks. */
const known = new WeakMap<FlatSettings, AuditPolicy>();

export function auditPolicy(state: ClusterState): AuditPolicy {
  const settings = effectiveClusterSettings(state);
  let policy = known.get(settings);
  if (policy === undefined) {
    policy = policyOf(settings);
    known.set(settings, policy);
  }
  return policy;
}

function policyOf(settings: FlatSettings): AuditPolicy {
  const { auditInclude, auditExclude, auditRequestBody } = AuditSettingDefinitions;
  const excluded = new Set(valueOf(auditExclude, settings));
  const events = new Set(valueOf(auditInclude, settings)?.filter((event) => !excluded.has(event)));
  const filters = filtersIn(settings);
  return {
    tellsOf: (event) => events.has(event),
    ignores: (entry) => entry.event !== 'security_config_change' && filters.some((filter) => covers(filter, entry)),
    emitsBody: valueOf(auditRequestBody, settings) === true,
  };
}

function filtersIn(settings: FlatSettings): readonly Filter[] {
  const filters = new Map<string, Filter>();
  for (const [key, value] of settings) {
    if (!key.startsWith(AUDIT_FILTERS)) continue;
    const [name = '', rule = ''] = key.slice(AUDIT_FILTERS.length).split('.');
    filters.set(name, { ...filters.get(name), [rule]: listKind.parse(value, key) });
  }
  return [...filters.values()];
}

/** All of its rules have to cover all that the entry names. An entry that names nothing is covered by the empty name. */
function covers(filter: Filter, entry: AuditEntry): boolean {
  return Object.entries(filter).every(([rule, patterns]) => {
    const names = entry[rule as Rule];
    return (names.length === 0 ? [''] : names).every((name) => patterns.includes(name) || matchesAny(patterns, name));
  });
}
