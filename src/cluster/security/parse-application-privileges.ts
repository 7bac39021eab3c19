/** The member `applications` of a role. */
import { QuarryError } from '../../base/errors.js';
import { isJsonObject, type JsonObject, type JsonValue } from '../../base/json-value.js';
import { Place } from '../../search/body/place.js';
import type { ApplicationPrivileges } from './role-descriptor.js';

export function parseApplicationPrivileges(
  role: string,
  value: JsonValue | undefined,
): readonly ApplicationPrivileges[] {
  if (value === undefined) return [];
  if (!Array.isArray(value)) {
    throw failed(role, `expected field [applications] value to be an array, but found [${tokenOf(value)}] instead`);
  }
  return (value as readonly JsonValue[]).map((entry) => {
    if (isJsonObject(entry)) return parseEntry(role, entry);
    const found = `but found an array element of type [${tokenOf(entry)}]`;
    throw failed(role, `expected field [applications] value to be an array of objects, ${found}`);
  });
}

function parseEntry(role: string, entry: JsonObject): ApplicationPrivileges {
  const { application, privileges, resources, ...others } = entry;
  const [unknown] = Object.keys(others);
  if (unknown !== undefined) throw failed(role, `unexpected field [${unknown}]`);
  if (application === undefined) throw failed(role, 'missing required [application] field');
  if (typeof application !== 'string')
    throw failed(role, `[application] must be a text, found [${tokenOf(application)}]`);
  checkApplication(application, true);
  return {
    application,
    privileges: readTexts(role, 'privileges', privileges),
    resources: readTexts(role, 'resources', resources),
  };
}

function readTexts(role: string, member: string, value: JsonValue | undefined): readonly string[] {
  if (value === undefined) throw failed(role, `missing required [${member}] field`);
  if (Array.isArray(value) && value.every((each) => typeof each === 'string')) return value;
  throw failed(
    role,
    `expected field [${member}] value to be an array of strings, but found [${tokenOf(value)}] instead`,
  );
}

/** Throws for a name that no application can have. In roles, a name may be a pattern. */
export function checkApplication(name: string, mayBePattern: boolean): void {
  if (mayBePattern && name.includes('*')) return;
  if (/^[a-z][A-Za-z0-9]{2,}(?:[-_][^ \\/*?"<>|,]*)?$/.test(name)) return;
  const form = 'must start with a lower case letter, followed by at least two letters or digits';
  const reason = `An application name prefix ${form}: [${name}]`;
  throw new QuarryError('action_request_validation_exception', `Validation Failed: 1: ${reason};`);
}

function tokenOf(value: JsonValue): string {
  return Place.ofValue(value).token;
}

function failed(role: string, why: string): QuarryError {
  return new QuarryError('parse_exception', `failed to parse application privileges for role [${role}]. ${why}`);
}
