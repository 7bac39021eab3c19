/** Makes entries of the audit log of what becomes of requests behind the gate. Loaded where the node has such a log. */
import type { JsonObject } from '../../../base/json-value.js';
import {
  AUDIT_NAMES_MAX,
  originFields,
  realmOf,
  runAsFields,
  shortened,
  subjectFields,
  type AuditEntry,
  type AuditOrigin,
} from '../../../cluster/security/audit/audit-entry.js';
import { ALL_INDICES, expandExpressions } from '../../../cluster/names/index-expression.js';
import { IndicesDefaults, indicesOptions } from '../../../cluster/names/indices-options.js';
import { isPattern } from '../../../cluster/names/wildcard.js';
import { auditPolicy } from '../../../cluster/security/audit/audit-policy.js';
import type { Subject } from '../../../cluster/security/subject.js';
import type { AuditEvent } from '../../../cluster/settings/audit-settings.js';
import type { ClusterState } from '../../../cluster/state.js';
import { configChange } from './config-changes.js';
import { bodyText } from './redact.js';
import type { Reach, Witness, WitnessedRequest } from './witness.js';

/** Of one request: a bulk may name as many indices as it has items. */
export const ENTRIES_MAX = 1_000;

export interface AuditorServices {
  readonly state: () => ClusterState;
  readonly nowMs: () => number;
  /** Hands an entry to the front, which writes. */
  readonly write: (entry: AuditEntry) => void;
}

export class Auditor {
  private readonly services: AuditorServices;

  constructor(services: AuditorServices) {
    this.services = services;
  }

  /** `origin`: the API's name of the endpoint, a line end, an `AuditOrigin` as JSON. */
  witness(origin: string, subject: Subject): Witness {
    const end = origin.indexOf('\n');
    return new RequestWitness(this.services, origin.slice(0, end), origin.slice(end + 1), subject);
  }
}

class RequestWitness implements Witness {
  private readonly services: AuditorServices;
  private readonly endpoint: string;
  private readonly origin: string;
  private readonly subject: Subject;
  private readonly seen = new Set<string>();
  /** Names as they were asked for, before their patterns were expanded. */
  private readonly asked = new Set<string>();
  private count = 0;

  constructor(services: AuditorServices, endpoint: string, origin: string, subject: Subject) {
    this.services = services;
    this.endpoint = endpoint;
    this.origin = origin;
    this.subject = subject;
  }

  allowed(action: string, asked: readonly string[], request: WitnessedRequest, view: () => ClusterState): void {
    const { endpoint } = this;
    const { policy } = this;
    if (policy.tellsOf('access_granted')) {
      const names = reached(asked, request, view, this.services.nowMs());
      const body = policy.emitsBody ? bodyText(endpoint, request.body.bytes) : undefined;
      this.access('access_granted', action, names, body === undefined ? {} : { 'request.body': body });
    }
    // Its parts are of the same action, on the indices that are named.
    this.seen.add(keyOf('access_granted', action, []));
    if (!policy.tellsOf('security_config_change')) return;
    const change = configChange(endpoint, request, this.subject.username);
    if (change === undefined) return;
    const fields = {
      'event.type': 'security_config_change',
      'event.action': change.action,
      [change.verb]: change.what,
    };
    this.write('security_config_change', action, [], { ...this.whoFields(), ...fields });
  }

  granted(action: string, names: readonly string[], reach?: Reach): void {
    if (this.count >= ENTRIES_MAX || !this.policy.tellsOf('access_granted')) return;
    if (reach === undefined) {
      this.access('access_granted', action, names, {});
      return;
    }
    // Each line of an `_msearch` may name the same patterns.
    const key = `${String(reach.parameters['expand_wildcards'])} ${keyOf('access_granted', action, names)}`;
    if (this.asked.has(key)) return;
    this.asked.add(key);
    this.access('access_granted', action, reached(names, reach, reach.view, this.services.nowMs()), {});
  }

  denied(action: string, names: readonly string[]): void {
    this.access('access_denied', action, names, {});
  }

  ranAs(isAllowed: boolean, action: string): void {
    this.write(isAllowed ? 'run_as_granted' : 'run_as_denied', action, [], runAsFields(this.subject));
  }

  private access(event: AuditEvent, action: string, names: readonly string[], more: JsonObject): void {
    const key = keyOf(event, action, names);
    if (this.seen.has(key) || this.count >= ENTRIES_MAX) return;
    this.seen.add(key);
    this.count++;
    const isLast = this.count === ENTRIES_MAX;
    this.write(event, action, names, { ...this.whoFields(), ...more, ...(isLast ? { 'audit.truncated': true } : {}) });
  }

  private write(event: AuditEvent, action: string, names: readonly string[], fields: JsonObject): void {
    const { policy, subject } = this;
    if (!policy.tellsOf(event)) return;
    const indices = names.slice(0, AUDIT_NAMES_MAX).map(shortened);
    // What one does to API keys of one's own is no action of another name.
    const shown = action.replace('/api_key/own/', '/api_key/');
    const entry: AuditEntry = {
      event,
      users: [subject.username],
      realms: [realmOf(subject)],
      roles: subject.roles,
      actions: [shown],
      indices,
      fields: {
        'event.type': 'transport',
        'event.action': event,
        ...fields,
        ...originFields(JSON.parse(this.origin) as AuditOrigin),
        action: shown,
        'request.name': this.endpoint,
        ...(indices.length === 0 ? {} : { indices }),
        ...(names.length > indices.length ? { 'audit.truncated': true } : {}),
      },
    };
    if (!policy.ignores(entry)) this.services.write(entry);
  }

  private get policy(): ReturnType<typeof auditPolicy> {
    return auditPolicy(this.services.state());
  }

  private whoFields(): JsonObject {
    return subjectFields(this.subject);
  }
}

/** With what patterns reach in their place; as they are where they reach nothing, or will be refused. */
function reached(
  names: readonly string[],
  { parameters }: Pick<WitnessedRequest, 'parameters'>,
  view: () => ClusterState,
  nowMs: number,
): readonly string[] {
  if (!names.some((name) => name === ALL_INDICES || isPattern(name))) return names;
  const { expand_wildcards: words } = parameters;
  const expanded = Array.isArray(words) ? { expand_wildcards: words as readonly string[] } : {};
  try {
    const options = indicesOptions({ ...IndicesDefaults.lenient, expandHidden: false }, expanded);
    const found = [...expandExpressions(view(), names, options, nowMs, 'aliases')];
    return found.length === 0 ? names : found;
  } catch {
    return names;
  }
}

function keyOf(event: AuditEvent, action: string, names: readonly string[]): string {
  return `${event} ${action} ${names.join(',')}`;
}
