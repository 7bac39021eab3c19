/** What one line of the audit log tells, by the reference's names of its members. Nothing in it may be a secret. */
import type { JsonObject } from '../../../base/json-value.js';
import type { AuditEvent } from '../../settings/audit-settings.js';
import type { Subject } from '../subject.js';

/** Where a request came from; it crosses threads as text. */
export interface AuditOrigin {
  readonly requestId: string;
  readonly address: string;
  readonly method: string;
  readonly path: string;
  /** Without what stands in for a body. */
  readonly query: string;
  readonly opaqueId: string;
  readonly traceId: string;
  readonly forwardedFor: string;
}

export interface AuditEntry {
  readonly event: AuditEvent;
  /** What filters look at. */
  readonly users: readonly string[];
  readonly realms: readonly string[];
  readonly roles: readonly string[];
  readonly actions: readonly string[];
  readonly indices: readonly string[];
  readonly fields: JsonObject;
}

/** Names in one entry; the rest is left out, and said to be. */
export const AUDIT_NAMES_MAX = 1_000;
/** Of a text that a client has chosen. */
const TEXT_LENGTH_MAX = 1_024;

export function shortened(text: string): string {
  return text.length <= TEXT_LENGTH_MAX ? text : `${text.slice(0, TEXT_LENGTH_MAX)}...`;
}

export function originFields(origin: AuditOrigin): JsonObject {
  const { address, method, path, query, requestId, opaqueId, traceId, forwardedFor } = origin;
  return present({
    'origin.type': 'rest',
    'origin.address': address,
    'request.id': requestId,
    'request.method': method,
    'url.path': shortened(path),
    'url.query': shortened(query),
    opaque_id: shortened(opaqueId),
    'trace.id': traceId,
    x_forwarded_for: shortened(forwardedFor),
  });
}

/** Who asks. Of one that runs as another, both. */
export function subjectFields(subject: Subject): JsonObject {
  const { runBy, apiKey, serviceAccount } = subject;
  return {
    'user.name': subject.username,
    'user.realm': realmOf(subject),
    ...(runBy === undefined ? {} : { 'user.run_by.name': runBy.username, 'user.run_by.realm': realmOf(runBy) }),
    'user.roles': subject.roles,
    'authentication.type': typeOf(subject),
    ...(apiKey === undefined ? {} : { 'apikey.id': apiKey.id, 'apikey.name': apiKey.name }),
    ...(serviceAccount === undefined
      ? {}
      : {
          'authentication.token.name': serviceAccount.token.name,
          'authentication.token.type': serviceAccount.token.type,
        }),
  };
}

/** Of the one who was to run as the subject, and as whom. */
export function runAsFields(subject: Subject): JsonObject {
  const { runBy = subject } = subject;
  return {
    ...subjectFields(runBy),
    'user.run_as.name': shortened(subject.username),
    ...(subject.lookupRealm === null ? {} : { 'user.run_as.realm': subject.lookupRealm.name }),
  };
}

export function realmOf({ apiKey, lookupRealm, authenticationRealm }: Subject): string {
  return (apiKey?.ownerRealm ?? lookupRealm ?? authenticationRealm).name;
}

/** In the words of the reference's log. */
function typeOf({ authenticationType }: Subject): string {
  return authenticationType.toUpperCase();
}

/** Without members that say nothing. */
export function present(fields: Readonly<Record<string, string>>): JsonObject {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== ''));
}
