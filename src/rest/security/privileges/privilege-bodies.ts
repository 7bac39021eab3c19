/** Privileges of applications as bodies have them. */
import { illegalArgument, QuarryError } from '../../../base/errors.js';
import { isJsonObject, type JsonObject, type JsonValue } from '../../../base/json-value.js';
import { checkApplication } from '../../../cluster/security/parse-application-privileges.js';
import type { ApplicationPrivilege } from '../../../cluster/security/security-state.js';

/** By application, then by name. */
export function readPrivileges(body: JsonObject): readonly ApplicationPrivilege[] {
  const privileges = Object.entries(body).flatMap(([application, named]) =>
    Object.entries(objectAt(named, `[${application}]`)).map(([name, said]) => readPrivilege(application, name, said)),
  );
  if (privileges.length === 0) throw refused('at least one application privilege must be provided');
  return privileges;
}

function readPrivilege(application: string, name: string, said: JsonValue | undefined): ApplicationPrivilege {
  const place = `[${application}][${name}]`;
  const { application: again, name: nameAgain, actions, metadata = {}, ...others } = objectAt(said, place);
  const [unknown] = Object.keys(others);
  if (unknown !== undefined) throw illegalArgument(`${place} unknown field [${unknown}]`);
  if ((again ?? application) !== application || (nameAgain ?? name) !== name) {
    throw illegalArgument(`${place} is named otherwise in its body`);
  }
  checkApplication(application, false);
  if (!/^[a-z][a-zA-Z0-9_.-]*$/.test(name)) {
    throw refused(`Application privilege names must match the pattern [a-z][a-zA-Z0-9_.-]* (found '${name}')`);
  }
  return { application, name, actions: readActions(actions, place), metadata: readMetadata(metadata, place) };
}

function readActions(actions: JsonValue | undefined, place: string): readonly string[] {
  const list: readonly JsonValue[] = Array.isArray(actions) ? (actions as readonly JsonValue[]) : [];
  if (list.length === 0) throw refused(`Application privileges must have at least one action: ${place}`);
  return list.map((action) => {
    if (typeof action === 'string' && /[/*:]/.test(action)) return action;
    const reason = `does not match pattern [must contain one of [ '/' , '*' , ':' ]]`;
    throw refused(`action [${JSON.stringify(action)}] of ${place} ${reason}`);
  });
}

function readMetadata(metadata: JsonValue, place: string): JsonObject {
  const read = objectAt(metadata, `${place}[metadata]`);
  const reserved = Object.keys(read).find((key) => key.startsWith('_'));
  if (reserved === undefined) return read;
  throw refused(`metadata keys may not start with [_] (in privilege ${place})`);
}

function objectAt(value: JsonValue | undefined, place: string): JsonObject {
  if (isJsonObject(value)) return value;
  throw new QuarryError('parse_exception', `expected ${place} to be an object`);
}

function refused(reason: string): QuarryError {
  return new QuarryError('action_request_validation_exception', `Validation Failed: 1: ${reason};`);
}
