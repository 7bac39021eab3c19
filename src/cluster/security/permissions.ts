/** What a set of roles allows, compiled: actions on the cluster, actions on indices by name, users to run as, privileges of applications. */
import { once } from '../../base/once.js';
import { clusterPrivilege } from './privileges/cluster-privileges.js';
import { indexPrivilege } from './privileges/index-privileges.js';
import { namePatterns, type NamePatterns } from './privileges/name-patterns.js';
import type { ActionSet } from './privileges/named-privilege.js';
import { commonTo, sharedBy, type IndexNames, type Restriction, type Share } from './restriction.js';
import type { ApplicationPrivileges, IndexPrivileges, RoleDescriptor } from './role-descriptor.js';

/** Which names of indices, aliases and data streams one action is allowed on. */
export interface NameAccess {
  /** Every name, whatever it is. */
  readonly isEverything: boolean;
  allows(name: string): boolean;
  /** Whether of some index not everything may be read. */
  readonly isRestricting: boolean;
  /**
   * What of the index may be read; undefined: everything. What its own name is allowed counts; one that is allowed by its aliases alone has the
   * restrictions of all of these.
   */
  restrictionOn(names: IndexNames): Restriction | undefined;
}

export interface Permissions {
  allowsCluster(action: string): boolean;
  /** Undefined: on no index at all. The same object for the same action. */
  onIndices(action: string): NameAccess | undefined;
  mayRunAs(username: string): boolean;
  /** Whether all that is allowed on the name is allowed on the other one as well. */
  allowsNoMore(name: string, other: string): boolean;
  /** Whether all actions of the set are allowed. */
  coversCluster(actions: ActionSet): boolean;
  /** Whether all actions of the set are allowed on everything that the pattern names. */
  coversIndices(question: IndexQuestion): boolean;
  /** Whether what `actions` matches is allowed on the resource. */
  coversApplication(question: ApplicationQuestion): boolean;
}

export interface IndexQuestion {
  readonly actions: ActionSet;
  readonly pattern: string;
  readonly withRestricted: boolean;
  /** Whether several patterns together match everything that the one does. */
  readonly coversTogether: (patterns: readonly string[], pattern: string) => boolean;
}

export interface ApplicationQuestion {
  readonly application: string;
  /** Of a privilege by its name, or the action itself. */
  readonly actions: readonly string[];
  readonly privilege: string;
  readonly resource: string;
  /** Actions of a stored privilege of the application. */
  readonly actionsOf: (privilege: string) => readonly string[] | undefined;
}

/** Names of indices that the system keeps for itself. */
const RESTRICTED = namePatterns(['.security*', '.tasks*', '.async-search*']);

export function isRestricted(name: string): boolean {
  return RESTRICTED.matches(name);
}

interface IndexGroup {
  readonly names: NamePatterns;
  readonly actions: readonly ActionSet[];
  readonly withRestricted: boolean;
  readonly share: Share;
}

/** Actions whose access is kept. */
const ACTIONS_MAX = 512;

class RolePermissions implements Permissions {
  readonly #cluster: readonly ActionSet[];
  readonly #groups: readonly IndexGroup[];
  readonly #runAs: NamePatterns;
  readonly #applications: readonly ApplicationPrivileges[];
  readonly #onIndices = new Map<string, NameAccess | undefined>();

  constructor(descriptors: readonly RoleDescriptor[]) {
    this.#cluster = descriptors.flatMap(({ cluster }) => cluster.map(clusterPrivilege));
    this.#groups = descriptors.flatMap(({ indices }) => indices.map(groupOf));
    this.#runAs = namePatterns(descriptors.flatMap(({ run_as }) => run_as));
    this.#applications = descriptors.flatMap(({ applications }) => applications);
  }

  allowsCluster(action: string): boolean {
    return this.#cluster.some((actions) => actions.has(action));
  }

  onIndices(action: string): NameAccess | undefined {
    if (this.#onIndices.has(action)) return this.#onIndices.get(action);
    const groups = this.#groups.filter(({ actions }) => actions.some((each) => each.has(action)));
    const access = groups.length === 0 ? undefined : new GroupAccess(groups);
    if (this.#onIndices.size >= ACTIONS_MAX) this.#onIndices.clear();
    this.#onIndices.set(action, access);
    return access;
  }

  mayRunAs(username: string): boolean {
    return this.#runAs.matches(username);
  }

  allowsNoMore(name: string, other: string): boolean {
    const on = (each: string): readonly ActionSet[] =>
      this.#groups.filter((group) => allowsIn(group, each)).flatMap(({ actions }) => actions);
    const others = on(other);
    return on(name).every((own) => others.some((each) => each.includes(own)));
  }

  coversCluster(actions: ActionSet): boolean {
    return this.#cluster.some((own) => own.includes(actions));
  }

  coversIndices({ actions, pattern, withRestricted, coversTogether }: IndexQuestion): boolean {
    const groups = this.#groups.filter(
      (group) =>
        (group.withRestricted || !(isRestricted(pattern) || withRestricted)) &&
        group.actions.some((own) => own.includes(actions)),
    );
    if (groups.some(({ names }) => names.covers(pattern))) return true;
    const patterns = groups.flatMap(({ names }) => names.patterns);
    return patterns.length > 0 && /[*?/\\]/.test(pattern) && coversTogether(patterns, pattern);
  }

  coversApplication({ application, actions, privilege, resource, actionsOf }: ApplicationQuestion): boolean {
    const grants = this.#applications.filter((each) => namePatterns([each.application]).covers(application));
    const onResource = grants.filter((each) => namePatterns(each.resources).covers(resource));
    if (onResource.some(({ privileges }) => privileges.includes(privilege))) return true;
    const granted = namePatterns(
      onResource.flatMap(({ privileges }) => privileges.flatMap((name) => actionsOf(name) ?? [name])),
    );
    return actions.length > 0 && actions.every((action) => granted.covers(action));
  }
}

function groupOf(entry: IndexPrivileges): IndexGroup {
  const { names, privileges, allow_restricted_indices: withRestricted, query, field_security: fields } = entry;
  const actions = privileges.map(indexPrivilege);
  return { names: namePatterns(names), actions, withRestricted, share: { query, fields } };
}

function isShareOfAll({ query, fields }: Share): boolean {
  return query === undefined && fields === undefined;
}

class GroupAccess implements NameAccess {
  readonly #groups: readonly IndexGroup[];
  readonly #isEverything = once(() =>
    this.#groups.some(({ names, withRestricted }) => withRestricted && names.covers('*')),
  );
  readonly #isRestricting = once(() => !this.#groups.every(({ share }) => isShareOfAll(share)));

  constructor(groups: readonly IndexGroup[]) {
    this.#groups = groups;
  }

  get isEverything(): boolean {
    return this.#isEverything();
  }

  allows(name: string): boolean {
    return this.#groups.some((group) => allowsIn(group, name));
  }

  get isRestricting(): boolean {
    return this.#isRestricting();
  }

  restrictionOn({ own, aliases }: IndexNames): Restriction | undefined {
    const ofIndex = this.#sharesOf(own);
    if (ofIndex.length > 0) return sharedBy(ofIndex);
    const ofAliases = aliases.map((alias) => this.#sharesOf([alias])).filter((shares) => shares.length > 0);
    return ofAliases.length === 0 ? NOTHING_ALLOWED : commonTo(ofAliases.map(sharedBy));
  }

  #sharesOf(names: readonly string[]): readonly Share[] {
    return this.#groups.filter((group) => names.some((name) => allowsIn(group, name))).map(({ share }) => share);
  }
}

/** No document, and no field. */
const NOTHING_ALLOWED: Restriction = { queries: [[]], fields: [[]] };

function allowsIn({ names, withRestricted }: IndexGroup, name: string): boolean {
  return names.matches(name) && (withRestricted || !isRestricted(name));
}

/** What both allow: an API key may do what it was given, as far as its owner could. */
class CommonPermissions implements Permissions {
  readonly #left: Permissions;
  readonly #right: Permissions;
  readonly #onIndices = new Map<string, NameAccess | undefined>();

  constructor(left: Permissions, right: Permissions) {
    this.#left = left;
    this.#right = right;
  }

  allowsCluster(action: string): boolean {
    return this.#left.allowsCluster(action) && this.#right.allowsCluster(action);
  }

  onIndices(action: string): NameAccess | undefined {
    if (this.#onIndices.has(action)) return this.#onIndices.get(action);
    const left = this.#left.onIndices(action);
    const right = this.#right.onIndices(action);
    const access = left === undefined || right === undefined ? undefined : common(left, right);
    if (this.#onIndices.size >= ACTIONS_MAX) this.#onIndices.clear();
    this.#onIndices.set(action, access);
    return access;
  }

  mayRunAs(username: string): boolean {
    return this.#left.mayRunAs(username) && this.#right.mayRunAs(username);
  }

  allowsNoMore(name: string, other: string): boolean {
    return this.#left.allowsNoMore(name, other) && this.#right.allowsNoMore(name, other);
  }

  coversCluster(actions: ActionSet): boolean {
    return this.#left.coversCluster(actions) && this.#right.coversCluster(actions);
  }

  coversIndices(question: IndexQuestion): boolean {
    return this.#left.coversIndices(question) && this.#right.coversIndices(question);
  }

  coversApplication(question: ApplicationQuestion): boolean {
    return this.#left.coversApplication(question) && this.#right.coversApplication(question);
  }
}

function common(left: NameAccess, right: NameAccess): NameAccess {
  return {
    isEverything: left.isEverything && right.isEverything,
    allows: (name) => left.allows(name) && right.allows(name),
    isRestricting: left.isRestricting || right.isRestricting,
    restrictionOn: (names) => commonTo([left.restrictionOn(names), right.restrictionOn(names)]),
  };
}

/** Throws `illegal_argument_exception` for descriptors with names that are unknown. */
export function permissionsOf(descriptors: readonly RoleDescriptor[]): Permissions {
  return new RolePermissions(descriptors);
}

export function commonPermissions(left: Permissions, right: Permissions): Permissions {
  return new CommonPermissions(left, right);
}
