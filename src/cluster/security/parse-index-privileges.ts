/** The member `indices` of a role. */
import { QuarryError } from '../../base/errors.js';
import { isJsonObject, type JsonObject, type JsonValue } from '../../base/json-value.js';
import { Place } from '../../search/body/place.js';
import { namePatterns } from './privileges/name-patterns.js';
import { simpleMatch } from '../../mapping/wildcard.js';
import type { FieldSecurity, IndexPrivileges } from './role-descriptor.js';
import { roleQueryText } from './role-query.js';

export function parseIndexPrivileges(role: string, value: JsonValue | undefined): readonly IndexPrivileges[] {
  if (value === undefined) return [];
  if (!Array.isArray(value)) throw failed(role, wrongToken('indices', 'an array', value));
  return (value as readonly JsonValue[]).map((entry) => {
    if (isJsonObject(entry)) return parseEntry(role, entry);
    const found = `but found an array element of type [${tokenOf(entry)}]`;
    throw failed(role, `expected field [indices] value to be an array of objects, ${found}`);
  });
}

function parseEntry(role: string, entry: JsonObject): IndexPrivileges {
  const { names, privileges, field_security, query, allow_restricted_indices, transient_metadata, ...others } = entry;
  const [unknown] = Object.keys(others);
  if (unknown !== undefined) throw failed(role, `unexpected field [${unknown}]`);
  if (transient_metadata !== undefined && !isJsonObject(transient_metadata)) {
    throw failed(role, wrongToken('transient_metadata', 'an object', transient_metadata));
  }
  const fields = readFieldSecurity(role, field_security);
  const text = readQuery(role, query);
  return {
    names: parseNames(role, names),
    privileges: parsePrivileges(role, privileges),
    ...(fields === undefined ? {} : { field_security: fields }),
    ...(text === undefined ? {} : { query: text }),
    allow_restricted_indices: readFlag(role, allow_restricted_indices),
  };
}

function parseNames(role: string, value: JsonValue | undefined): readonly string[] {
  const names = readTexts(role, 'names', value);
  if (names.length === 0) throw failed(role, '[names] cannot be an empty array');
  namePatterns(names);
  return names;
}

function parsePrivileges(role: string, value: JsonValue | undefined): readonly string[] {
  const privileges = readTexts(role, 'privileges', value);
  return privileges.map((privilege) => privilege.toLowerCase());
}

function readTexts(role: string, member: string, value: JsonValue | undefined): readonly string[] {
  if (value === undefined) throw failed(role, `missing required [${member}] field`);
  if (typeof value === 'string') return [value];
  if (Array.isArray(value) && value.every((each) => typeof each === 'string')) return value;
  throw failed(role, wrongToken(member, 'a string or an array of strings', value));
}

function readFlag(role: string, value: JsonValue | undefined): boolean {
  if (value === undefined) return false;
  if (typeof value === 'boolean') return value;
  throw failed(role, wrongToken('allow_restricted_indices', 'a boolean', value));
}

/** Consoles send `grant: ["*"]` with every role: it hides nothing. */
function readFieldSecurity(role: string, value: JsonValue | undefined): FieldSecurity | undefined {
  if (value === undefined || value === null) return undefined;
  if (!isJsonObject(value)) throw failed(role, wrongToken('field_security', 'an object', value));
  const { grant, except, ...others } = value;
  const [unknown] = Object.keys(others);
  if (unknown !== undefined) throw failed(role, `unexpected field [field_security.${unknown}]`);
  const excepted = readFieldNames(role, 'except', except ?? []);
  if (grant === undefined || grant === null) {
    if (excepted.length === 0) return undefined;
    throw failed(role, '[field_security] requires [grant] if [except] is given');
  }
  const granted = readFieldNames(role, 'grant', grant);
  const isCovered = (name: string): boolean => granted.some((pattern) => simpleMatch(pattern, name));
  if (!excepted.every(isCovered)) {
    const lists = `[${excepted.join(', ')}] is not a subset of [${granted.join(', ')}]`;
    throw failed(role, `Exceptions for field permissions must be a subset of the granted fields but ${lists}`);
  }
  if (granted.includes('*') && excepted.length === 0) return undefined;
  return { grant: granted, ...(excepted.length === 0 ? {} : { except: excepted }) };
}

function readFieldNames(role: string, member: string, value: JsonValue): readonly string[] {
  const names = readTexts(role, `field_security.${member}`, value);
  const strange = names.find((name) => name === '' || /[?\\]/.test(name) || /^\/.*\/$/s.test(name));
  if (strange === undefined) return names;
  const reason = `[field_security.${member}] takes names and patterns with [*], but not [${strange}]`;
  throw failed(role, reason);
}

/** An object, or its text. Consoles send an empty one with every role: it hides nothing. */
function readQuery(role: string, value: JsonValue | undefined): string | undefined {
  if (value === undefined || value === null || value === '') return undefined;
  if (typeof value !== 'string' && !isJsonObject(value)) {
    throw failed(role, wrongToken('query', 'an object or its text', value));
  }
  try {
    return roleQueryText(value);
  } catch (cause) {
    if (!(cause instanceof QuarryError)) throw cause;
    throw failed(role, `[query] is not valid: ${cause.message}`, cause);
  }
}

function wrongToken(member: string, expected: string, value: JsonValue): string {
  return `expected field [${member}] value to be ${expected}, but found [${tokenOf(value)}] instead`;
}

function tokenOf(value: JsonValue): string {
  return Place.ofValue(value).token;
}

function failed(role: string, why: string, cause?: QuarryError): QuarryError {
  const options = cause === undefined ? {} : { cause };
  return new QuarryError('parse_exception', `failed to parse indices privileges for role [${role}]. ${why}`, options);
}
