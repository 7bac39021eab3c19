/** Bodies of roles, and of the role descriptors of API keys, to checked descriptors. */
import { QuarryError } from '../../base/errors.js';
import { isJsonObject, type JsonObject, type JsonValue } from '../../base/json-value.js';
import { Place } from '../../search/body/place.js';
import { parseApplicationPrivileges } from './parse-application-privileges.js';
import { parseIndexPrivileges } from './parse-index-privileges.js';
import { clusterPrivilege } from './privileges/cluster-privileges.js';
import { indexPrivilege } from './privileges/index-privileges.js';
import type { RoleDescriptor } from './role-descriptor.js';

/** All of a role, as JSON. It bounds what a check of privileges may cost. */
export const ROLE_LENGTH_MAX = 262_144;
const ROLE_NAME_LENGTH_MAX = 507;
const DESCRIPTION_LENGTH_MAX = 1_000;
/** Taken where nothing is in them, as tools write roles that they have read; a role does not keep them then. */
const TAKEN_EMPTY: Readonly<Record<string, JsonValue>> = { global: {}, remote_indices: [], remote_cluster: [] };
const NOT_SUPPORTED = new Set([...Object.keys(TAKEN_EMPTY), 'restriction']);

/**
 * Throws `parse_exception` for a body that is no role, and `action_request_validation_exception` with all unknown privileges. `name` is that of the
 * role or, in an API key, of the descriptor.
 */
export function parseRoleDescriptor(name: string, body: JsonValue): RoleDescriptor {
  if (!isJsonObject(body)) {
    throw failed(name, `. expected an object but found [${tokenOf(body)}] instead`);
  }
  const length = JSON.stringify(body).length;
  if (length > ROLE_LENGTH_MAX) {
    throw failed(name, `. its [${length}] characters are more than [${ROLE_LENGTH_MAX}]`);
  }
  const descriptor = readMembers(name, body);
  const faults = privilegeFaults(descriptor);
  if (faults.length === 0) return descriptor;
  const list = faults.map((fault, at) => `${at + 1}: ${fault};`).join('');
  throw new QuarryError('action_request_validation_exception', `Validation Failed: ${list}`);
}

function readMembers(name: string, body: JsonObject): RoleDescriptor {
  const {
    cluster,
    index,
    indices = index,
    application,
    applications = application,
    run_as,
    metadata = {},
    transient_metadata = {},
    description,
    type: _type,
    ...others
  } = body;
  for (const [member, value] of Object.entries(others)) {
    if (value !== undefined && isTakenEmpty(member, value)) continue;
    throw failed(name, NOT_SUPPORTED.has(member) ? `. field [${member}] is not supported` : unexpected(member));
  }
  if (!isJsonObject(metadata)) throw notObject('metadata', metadata);
  if (!isJsonObject(transient_metadata)) throw failed(name, unexpected('transient_metadata'));
  return {
    cluster: readStrings(name, 'cluster', cluster),
    indices: parseIndexPrivileges(name, indices),
    applications: parseApplicationPrivileges(name, applications),
    run_as: readStrings(name, 'run_as', run_as),
    metadata: readMetadata(metadata),
    transient_metadata: { enabled: true },
    ...(description === undefined ? {} : { description: readDescription(name, description) }),
  };
}

function isTakenEmpty(member: string, value: JsonValue): boolean {
  const empty = Object.hasOwn(TAKEN_EMPTY, member) ? TAKEN_EMPTY[member] : undefined;
  return empty !== undefined && JSON.stringify(empty) === JSON.stringify(value);
}

function unexpected(member: string): string {
  return `. unexpected field [${member}]`;
}

function readMetadata(metadata: JsonObject): JsonObject {
  const reserved = Object.keys(metadata).find((key) => key.startsWith('_'));
  if (reserved === undefined) return metadata;
  const reason = `Validation Failed: 1: role descriptor metadata keys may not start with [_];`;
  throw new QuarryError('action_request_validation_exception', reason);
}

function readDescription(name: string, description: JsonValue): string {
  if (typeof description !== 'string') {
    throw failed(name, `. unexpected value for [description], found [${tokenOf(description)}]`);
  }
  if (description.length <= DESCRIPTION_LENGTH_MAX) return description;
  const reason = `Role description must be less than ${DESCRIPTION_LENGTH_MAX} characters.`;
  throw new QuarryError('action_request_validation_exception', `Validation Failed: 1: ${reason};`);
}

/** A list of texts, or one text with commas; null and nothing are the empty list. */
function readStrings(role: string, member: string, value: JsonValue | undefined): readonly string[] {
  if (value === undefined || value === null) return [];
  if (typeof value === 'string') return value.split(',').map((each) => each.trim());
  if (Array.isArray(value) && value.every((each) => typeof each === 'string')) return value;
  throw failed(role, `. expected field [${member}] value to be a string or an array of strings`);
}

function failed(role: string, why: string): QuarryError {
  return new QuarryError('parse_exception', `failed to parse role [${role}]${why}`);
}

function notObject(member: string, value: JsonValue): QuarryError {
  const reason = `expected field [${member}] to be of type object, but found [${tokenOf(value)}] instead`;
  return new QuarryError('parse_exception', reason);
}

function tokenOf(value: JsonValue): string {
  return Place.ofValue(value).token;
}

/** What is wrong with the names of privileges, one text each. */
function privilegeFaults(descriptor: RoleDescriptor): readonly string[] {
  const faults: string[] = [];
  const check = (privileges: readonly string[], find: (name: string) => unknown): void => {
    for (const privilege of privileges) {
      try {
        find(privilege);
      } catch (error) {
        if (!(error instanceof QuarryError)) throw error;
        faults.push(error.message);
      }
    }
  };
  check(descriptor.cluster, clusterPrivilege);
  for (const { privileges } of descriptor.indices) check(privileges, indexPrivilege);
  return faults;
}

/** Throws `action_request_validation_exception` for a name that no role can have. */
export function checkRoleName(name: string): void {
  const isWritten = /^[\x20-\x7e]+$/.test(name) && name.trim() === name && !name.startsWith('_');
  if (isWritten && name.length <= ROLE_NAME_LENGTH_MAX) return;
  const reason =
    `Role names must be at least 1 and no more than ${ROLE_NAME_LENGTH_MAX} characters. ` +
    'They can contain alphanumeric characters (a-z, A-Z, 0-9), spaces, punctuation, and printable symbols in the ' +
    'Basic Latin (ASCII) block. Leading or trailing whitespace is not allowed.';
  throw new QuarryError('action_request_validation_exception', `Validation Failed: 1: ${reason};`);
}
