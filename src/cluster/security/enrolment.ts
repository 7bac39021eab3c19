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

/** Undefined for a key that is no enrolment token. */
export function nodeEnrolment(metadata: JsonObject): NodeEnrolment | undefined {
  const kept = metadata[ENROLMENT];
  if (!isJsonObject(kept)) return undefined;
  const { scope, hosts, sealed } = kept;
  if (scope !== 'node' || typeof sealed !== 'string' || !Array.isArray(hosts)) return undefined;
  return { hosts: hosts.map(String), sealed };
}
