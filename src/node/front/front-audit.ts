/** The audit log of a node: who was let in, who was not, and what workers tell of requests. Loaded where it is enabled. */
import { hostname } from 'node:os';
import type { AuditFigures } from '../../actions/front-figures.js';
import { queryText } from '../../actions/security/audit/redact.js';
import { readAuthorization, type Credentials } from '../../actions/security/credentials.js';
import type { Clock } from '../../base/clock.js';
import { QuarryError } from '../../base/errors.js';
import type { JsonObject } from '../../base/json-value.js';
import type { Logger } from '../../base/logger.js';
import type { NodeSettings } from '../../base/node-settings.js';
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
import { AuditSettingDefinitions, type AuditEvent } from '../../cluster/settings/audit-settings.js';
import { effectiveClusterSettings } from '../../cluster/settings/effective-cluster-settings.js';
import { valueOf } from '../../cluster/settings/registry.js';
import { emptyClusterState, type ClusterState } from '../../cluster/state.js';
import type { StateHolder } from '../../coordinator/state-holder.js';
import type { Visitor } from '../../http/gate.js';
import { RollingLog } from '../logging/rolling-log.js';

export interface FrontAuditServices {
  readonly settings: NodeSettings;
  readonly clock: Clock;
  readonly random: Random;
  readonly logger: Logger;
  readonly states: StateHolder;
  readonly logsPath: string;
}

/** What is known of the node when it listens. */
export interface AuditedNode {
  readonly id: string;
  readonly name: string;
  readonly ip: string;
}

const NO_STATE = emptyClusterState('', '');
const UNAUTHORIZED = 401;
/** `00-<trace>-<span>-<flags>`, of the W3C. */
const TRACE_PARENT = /^[\da-f]{2}-([\da-f]{32})-/;

export class FrontAudit {
  private readonly services: FrontAuditServices;
  private readonly log: RollingLog;
  private node: AuditedNode = { id: '', name: '', ip: '' };
  private written = 0;

  private constructor(services: FrontAuditServices, log: RollingLog) {
    this.services = services;
    this.log = log;
  }

  /** Rejects when its file cannot be opened: a node that was to keep a log of who does what does not run without. */
  static async open(services: FrontAuditServices): Promise<FrontAudit> {
    const { settings, logger, logsPath: directory } = services;
    const { 'logger.file_size': fileSize, 'logger.total_size': totalSize } = settings.values;
    const log = await RollingLog.open({
      directory,
      name: 'quarry_audit',
      what: 'the audit log',
      fileBytesMax: Math.min(fileSize, totalSize),
      fileCountMax: settings.values['logger.file_count'],
      totalBytesMax: totalSize,
      onError: (error) => {
        logger.log('warn', 'an old file of the audit log stays', { reason: error.message });
      },
    });
    return new FrontAudit(services, log);
  }

  identify(node: AuditedNode): void {
    this.node = node;
  }

  figures(): AuditFigures {
    return { written: this.written, lost: this.log.dropped };
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

  /** An entry that a worker made. Its filters have been asked. */
  take({ fields }: AuditEntry): void {
    this.written++;
    const line = { type: 'audit', timestamp: timestamp(this.services.clock.nowMs()), ...this.nodeFields(), ...fields };
    this.log.write(`${JSON.stringify(line)}\n`);
  }

  close(): Promise<void> {
    return this.log.close();
  }

  private get state(): ClusterState {
    const { states } = this.services;
    return states.isKnown ? states.current : NO_STATE;
  }

  private tellsOf(event: AuditEvent): boolean {
    return auditPolicy(this.state).tellsOf(event);
  }

  private enter(entry: AuditEntry): void {
    if (!auditPolicy(this.state).ignores(entry)) this.take(entry);
  }

  private nodeFields(): JsonObject {
    const { state } = this;
    const settings = effectiveClusterSettings(state);
    const { auditClusterName, auditClusterUuid, auditNodeName, auditNodeId, auditHostName, auditHostAddress } =
      AuditSettingDefinitions;
    const { id, name, ip } = this.node;
    const members = [
      [auditClusterName, 'cluster.name', this.services.settings.values['cluster.name']],
      [auditClusterUuid, 'cluster.uuid', state.clusterUuid],
      [auditNodeName, 'node.name', name],
      [auditNodeId, 'node.id', id],
      [auditHostName, 'host.name', hostname()],
      [auditHostAddress, 'host.ip', ip],
    ] as const;
    const shown = members.filter(([definition, , value]) => value !== '' && valueOf(definition, settings) === true);
    return Object.fromEntries(shown.map(([, key, value]) => [key, value]));
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

/** As the reference prints it. */
function timestamp(nowMs: number): string {
  return new Date(nowMs).toISOString().replace('.', ',').replace('Z', '+0000');
}
