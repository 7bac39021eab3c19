/** What a subject is told that may not do what he asks for: who he is, what he lacks, and which privileges would do. */
import { QuarryError } from '../../base/errors.js';
import { clusterPrivilegesThatGrant, isClusterAction } from './privileges/cluster-privileges.js';
import { indexPrivilegesThatGrant, isIndexAction } from './privileges/index-privileges.js';
import { isRestricted } from './permissions.js';
import type { SecurityState } from './security-state.js';
import { effectiveRoles } from './subject-permissions.js';
import type { Subject } from './subject.js';

type Roles = SecurityState['roles'];

/** `names`: of indices that the action was refused on; empty where it is refused on all. */
export function actionDenied(
  roles: Roles,
  subject: Subject,
  action: string,
  names: readonly string[] = [],
): QuarryError {
  const who = `${described(subject)}${rolesText(roles, subject)}`;
  // What one does to API keys of one's own is no action of another name.
  const shown = action.replace('/api_key/own/', '/api_key/');
  return denied(`action [${shown}] is unauthorized for ${who}${placesText(names)}${privilegesText(action)}`);
}

/** `subject.runBy` may not act as the subject. */
export function runAsDenied(roles: Roles, subject: Subject, runBy: Subject, action: string): QuarryError {
  const who = authenticated(runBy);
  const why = `because ${who} is unauthorized to run as [${subject.username}]`;
  return denied(`action [${action}] is unauthorized for ${who}${rolesText(roles, runBy)}, ${why}`);
}

function denied(reason: string): QuarryError {
  return new QuarryError('security_exception', reason);
}

function described(subject: Subject): string {
  const { runBy } = subject;
  return runBy === undefined ? authenticated(subject) : `${authenticated(runBy)} run as [${subject.username}]`;
}

function authenticated({ username, apiKey, serviceAccount }: Subject): string {
  const user = `${serviceAccount === undefined ? 'user' : 'service account'} [${username}]`;
  return apiKey === undefined ? user : `API key id [${apiKey.id}] of ${user}`;
}

/** API keys and service accounts have no roles of their own. */
function rolesText(roles: Roles, subject: Subject): string {
  if (subject.apiKey !== undefined || subject.serviceAccount !== undefined) return '';
  const { found, missing } = effectiveRoles(roles, subject);
  const unknown = missing.length === 0 ? '' : ` (assigned roles [${missing.join(',')}] were not found)`;
  return ` with effective roles [${found.join(',')}]${unknown}`;
}

function placesText(names: readonly string[]): string {
  const usual = names.filter((name) => !isRestricted(name));
  const restricted = names.filter(isRestricted);
  const places = [
    ...(usual.length === 0 ? [] : [`on indices [${usual.join(',')}]`]),
    ...(restricted.length === 0 ? [] : [`on restricted indices [${restricted.join(',')}]`]),
  ];
  return places.length === 0 ? '' : ` ${places.join(' and ')}`;
}

function privilegesText(action: string): string {
  if (isClusterAction(action)) return granted('cluster', clusterPrivilegesThatGrant(action));
  return isIndexAction(action) ? granted('index', indexPrivilegesThatGrant(action)) : '';
}

function granted(kind: string, privileges: readonly string[]): string {
  if (privileges.length === 0) return '';
  return `, this action is granted by the ${kind} privileges [${privileges.join(',')}]`;
}
