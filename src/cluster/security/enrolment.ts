/** What enrolment tokens are in the cluster: API keys that may do one thing, once. */
import { isJsonObject, type JsonObject } from '../../base/json-value.js';

export const ENROL_NODE = 'cluster:admin/xpack/security/enroll/node';
/** The member of the metadata of an API key that makes it an enrolment token. */
export const ENROLMENT = 'enrollment';

export interface NodeEnrolment {
  readonly hosts: readonly string[];
  /** For who has the token only: the cluster cannot open it. */
  readonly sealed: string;
}

/** What may be shown and kept of the metadata of a key: all but the parcel of an enrolment token. */
export function withoutParcel(metadata: JsonObject): JsonObject {
  const kept = metadata[ENROLMENT];
  if (!isJsonObject(kept) || kept['sealed'] === undefined) return metadata;
  const { sealed: _sealed, ...rest } = kept;
  return { ...metadata, [ENROLMENT]: rest };
}

/** Undefined for a key that is no enrolment token. */
export function nodeEnrolment(metadata: JsonObject): NodeEnrolment | undefined {
  const kept = metadata[ENROLMENT];
  if (!isJsonObject(kept)) return undefined;
  const { scope, hosts, sealed } = kept;
  if (scope !== 'node' || typeof sealed !== 'string' || !Array.isArray(hosts)) return undefined;
  return { hosts: hosts.map(String), sealed };
}
