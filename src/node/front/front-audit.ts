/** What a front tells the audit log: who was let in, and who was not. Loaded where there is one. */
import { queryText } from '../../actions/security/audit/redact.js';
import { readAuthorization, type Credentials } from '../../actions/security/credentials.js';
import { QuarryError } from '../../base/errors.js';
import type { JsonObject } from '../../base/json-value.js';
import { newUuid, type Random } from '../../base/random.js';
import {
  originFields,
  realmOf,
  shortened,
  subjectFields,
  type AuditEntry,
  type AuditOrigin,
} from '../../cluster/security/audit/audit-entry.js';
import { auditPolicy } from '../../cluster/security/audit/audit-policy.js';
import { readSubject } from '../../cluster/security/subject-text.js';
import type { AuditEvent } from '../../cluster/settings/audit-settings.js';
import { emptyClusterState, type ClusterState } from '../../cluster/state.js';
import type { StateHolder } from '../../coordinator/state-holder.js';
import type { Visitor } from '../../http/gate.js';

export interface FrontAuditServices {
  readonly random: Random;
  readonly states: StateHolder;
  /** Takes what is to be in the log. */
  readonly write: (entry: AuditEntry) => void;
}

const NO_STATE = emptyClusterState('', '');
const UNAUTHORIZED = 401;
/** `00-<trace>-<span>-<flags>`, of the W3C. */
const TRACE_PARENT = /^[\da-f]{2}-([\da-f]{32})-/;

export class FrontAudit {
  private readonly services: FrontAuditServices;

  constructor(services: FrontAuditServices) {
    this.services = services;
  }

  /** Only while the request is there. */
  origin(visitor: Visitor): AuditOrigin {
    const { method, rawPath: path, query, opaqueId } = visitor;
    const [, traceId = ''] = TRACE_PARENT.exec(visitor.header('traceparent')) ?? [];
    return {
      requestId: newUuid(this.services.random),
      address: visitor.address(),
      method,
      path,
      query: queryText(query),
      opaqueId,
      traceId,
      forwardedFor: visitor.header('x-forwarded-for'),
    };
  }

  /** `subject`: of `subjectText`. */
  letIn(origin: AuditOrigin, subject: string): void {
    const who = readSubject(subject);
    if (who === undefined || !this.tellsOf('authentication_success')) return;
    this.enter({
      event: 'authentication_success',
      users: [who.username],
      realms: [realmOf(who)],
      roles: who.roles,
      ...NOTHING,
      fields: { ...restFields('authentication_success'), ...subjectFields(who), ...originFields(origin) },
    });
  }

  /** Of a request that was not let in; refusals for want of room are none of its sender. */
  keptOut(origin: AuditOrigin, authorization: string, error: unknown): void {
    if (!(error instanceof QuarryError) || error.type !== 'security_exception') return;
    const { kind, name, fields: who } = claimed(authorization);
    const event = eventOf(kind, error.status);
    if (!this.tellsOf(event)) return;
    this.enter({
      event,
      users: name === undefined ? [] : [name],
      realms: [],
      roles: [],
      ...NOTHING,
      fields: { ...restFields(event), ...who, ...originFields(origin) },
    });
  }

  /** What somebody gave in the body of a request, such as one for a token, was wrong. */
  refusedInBody(username: string, uri: string): void {
    if (!this.tellsOf('authentication_failed')) return;
    const [path = '', query = ''] = uri.split('?', 2);
    const fields = {
      ...restFields('authentication_failed'),
      ...(username === '' ? {} : { 'user.name': shortened(username) }),
      'url.path': shortened(path),
      ...(query === '' ? {} : { 'url.query': shortened(queryText(query)) }),
    };
    this.enter({ event: 'authentication_failed', users: [username], realms: [], roles: [], ...NOTHING, fields });
  }

  private get state(): ClusterState {
    const { states } = this.services;
    return states.isKnown ? states.current : NO_STATE;
  }

  private tellsOf(event: AuditEvent): boolean {
    return auditPolicy(this.state).tellsOf(event);
  }

  private enter(entry: AuditEntry): void {
    if (!auditPolicy(this.state).ignores(entry)) this.services.write(entry);
  }
}

const NOTHING = { actions: [], indices: [] } as const;

function restFields(event: AuditEvent): JsonObject {
  return { 'event.type': 'rest', 'event.action': event };
}

function eventOf(kind: Credentials['kind'], status: number): AuditEvent {
  if (kind === 'malformed') return 'tampered_request';
  if (kind === 'none') return 'anonymous_access_denied';
  return status === UNAUTHORIZED ? 'authentication_failed' : 'run_as_denied';
}

interface Claim {
  readonly kind: Credentials['kind'];
  /** Of a user or a service account. */
  readonly name?: string;
  readonly fields: JsonObject;
}

/** Who the sender says that he is; never what was to prove it. */
function claimed(authorization: string): Claim {
  const credentials = readAuthorization(authorization);
  const { kind } = credentials;
  switch (credentials.kind) {
    case 'basic': {
      const name = shortened(credentials.username);
      return { kind, name, fields: { 'authentication.type': 'REALM', 'user.name': name } };
    }
    case 'api_key':
      return { kind, fields: { 'authentication.type': 'API_KEY', 'apikey.id': shortened(credentials.id) } };
    case 'service': {
      const [name, token] = [shortened(credentials.account), shortened(credentials.token)];
      const fields = { 'authentication.type': 'TOKEN', 'user.name': name, 'authentication.token.name': token };
      return { kind, name, fields };
    }
    case 'bearer':
      return { kind, fields: { 'authentication.type': 'TOKEN' } };
    default:
      return { kind, fields: {} };
  }
}
