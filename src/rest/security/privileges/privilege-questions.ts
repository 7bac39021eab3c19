/** Whether somebody may do what is asked about: privileges on the cluster, on indices and of applications. */
import type { Authority } from '../../../actions/security/authority.js';
import { illegalArgument, QuarryError } from '../../../base/errors.js';
import { isJsonObject, type JsonObject, type JsonValue } from '../../../base/json-value.js';
import { privilegeKey } from '../../../cluster/changes/security/privileges.js';
import { parseApplicationPrivileges } from '../../../cluster/security/parse-application-privileges.js';
import { parseIndexPrivileges } from '../../../cluster/security/parse-index-privileges.js';
import { clusterPrivilege } from '../../../cluster/security/privileges/cluster-privileges.js';
import { indexPrivilege } from '../../../cluster/security/privileges/index-privileges.js';
import { PatternCover } from '../../../cluster/security/privileges/patterns-together.js';
import type { ApplicationPrivileges, IndexPrivileges } from '../../../cluster/security/role-descriptor.js';

/** Names times privileges that one request may ask about. */
const QUESTIONS_MAX = 10_000;

export interface Questions {
  readonly cluster: readonly string[];
  readonly index: readonly IndexPrivileges[];
  readonly application: readonly ApplicationPrivileges[];
}

/** In the API's shape. */
export interface PrivilegeVerdicts {
  readonly has_all_requested: boolean;
  readonly cluster: Verdicts;
  readonly index: Readonly<Record<string, Verdicts>>;
  readonly application: Readonly<Record<string, Readonly<Record<string, Verdicts>>>>;
}

/** `together` has the budget of the request, for all of whom it asks about. */
export function privilegeVerdicts(
  authority: Authority,
  asked: Questions,
  together = new PatternCover(),
): PrivilegeVerdicts {
  const cluster = verdicts(asked.cluster, (name) => authority.permissions.coversCluster(clusterPrivilege(name)));
  const index = mergeAll(asked.index.map((each) => indexVerdicts(authority, each, together)));
  const application = applicationVerdicts(authority, asked.application);
  const all = [cluster, ...Object.values(index), ...Object.values(application).flatMap((each) => Object.values(each))];
  const hasAll = all.every((each) => Object.values(each).every((verdict) => verdict));
  return { has_all_requested: hasAll, cluster, index, application };
}

type Verdicts = Readonly<Record<string, boolean>>;

function verdicts(names: readonly string[], isAllowed: (name: string) => boolean): Verdicts {
  return Object.fromEntries(names.map((name) => [name, isAllowed(name)]));
}

function indexVerdicts(
  authority: Authority,
  asked: IndexPrivileges,
  together: PatternCover,
): Readonly<Record<string, Verdicts>> {
  const { permissions } = authority;
  const { allow_restricted_indices: withRestricted } = asked;
  const covers = (pattern: string, privilege: string): boolean =>
    permissions.coversIndices({
      ...{ actions: indexPrivilege(privilege), pattern, withRestricted },
      coversTogether: (patterns, each) => together.covers(patterns, each),
    });
  return Object.fromEntries(
    asked.names.map((name) => [name, verdicts(asked.privileges, (privilege) => covers(name, privilege))]),
  );
}

/** The same name may be asked about several times. */
function mergeAll(parts: readonly Readonly<Record<string, Verdicts>>[]): Readonly<Record<string, Verdicts>> {
  const merged: Record<string, Verdicts> = {};
  for (const [name, own] of parts.flatMap((part) => Object.entries(part))) merged[name] = { ...merged[name], ...own };
  return merged;
}

function applicationVerdicts(
  authority: Authority,
  asked: readonly ApplicationPrivileges[],
): Readonly<Record<string, Readonly<Record<string, Verdicts>>>> {
  const stored = authority.wholeState().applicationPrivileges;
  const answers: Record<string, Readonly<Record<string, Verdicts>>> = {};
  for (const { application, privileges, resources } of asked) {
    if (application.includes('*')) {
      throw illegalArgument(`Application names may not contain '*' (found '${application}')`);
    }
    const actionsOf = (name: string): readonly string[] | undefined =>
      stored.get(privilegeKey(application, name))?.actions;
    const covers = (privilege: string, resource: string): boolean =>
      authority.permissions.coversApplication({
        ...{ application, privilege, resource, actionsOf },
        actions: actionsOf(privilege) ?? (/[/*:]/.test(privilege) ? [privilege] : []),
      });
    const own = Object.fromEntries(
      resources.map((resource) => [resource, verdicts(privileges, (privilege) => covers(privilege, resource))]),
    );
    answers[application] = mergeAll([answers[application] ?? {}, own]);
  }
  return answers;
}

/** `username` is whom errors name. */
export function readQuestions(username: string, body: JsonObject): Questions {
  const { cluster, index, application, applications = application, ...others } = body;
  const [unknown] = Object.keys(others);
  if (unknown !== undefined) throw failed(username, `unexpected field [${unknown}]`);
  if (cluster === undefined && index === undefined && applications === undefined) {
    throw failed(username, 'All privilege fields [cluster,index,applications] are missing');
  }
  const asked = {
    cluster: readNames(username, cluster),
    index: parseIndexPrivileges(username, withoutNothing(index)),
    application: parseApplicationPrivileges(username, withoutNothing(applications)),
  };
  refuseRestrictions(asked.index);
  const count = questionCount(asked);
  if (count <= QUESTIONS_MAX) return asked;
  throw illegalArgument(`[${count}] privileges are asked about at once, at most [${QUESTIONS_MAX}] may be`);
}

/** An answer about some fields or documents only would be one about all of them. */
function refuseRestrictions(asked: readonly IndexPrivileges[]): void {
  for (const name of ['field_security', 'query'] as const) {
    if (asked.every((each) => each[name] === undefined)) continue;
    throw new QuarryError('parse_exception', `Field [${name}] is not supported in a has_privileges request`);
  }
}

/** Names times privileges. */
export function questionCount(asked: Questions): number {
  const ofIndices = asked.index.map(({ names, privileges }) => names.length * privileges.length);
  const ofResources = asked.application.map(({ resources, privileges }) => resources.length * privileges.length);
  return [...ofIndices, ...ofResources].reduce((sum, each) => sum + each, asked.cluster.length);
}

function withoutNothing(value: JsonValue | undefined): JsonValue | undefined {
  const isSingle = isJsonObject(value);
  return value === null ? undefined : isSingle ? [value] : value;
}

function readNames(username: string, value: JsonValue | undefined): readonly string[] {
  if (value === undefined || value === null) return [];
  const items = (Array.isArray(value) ? value : [value]) as readonly JsonValue[];
  return items.map((item) => {
    if (typeof item === 'string') return item;
    throw failed(username, 'expected field [cluster] value to be a string or an array of strings');
  });
}

function failed(username: string, why: string): QuarryError {
  return new QuarryError('parse_exception', `failed to parse privileges check [${username}]. ${why}`);
}
