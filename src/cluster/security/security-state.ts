/** The part of the cluster state that says who may come in. Secrets are kept as hashes only. */
import type { JsonObject, JsonScalar } from '../../base/json-value.js';
import type { RoleDescriptor } from './role-descriptor.js';
import type { RealmName, RoleDescriptors, Subject } from './subject.js';

export interface SecurityState {
  /** Passwords of users that are built in, by name. Without an entry such a user cannot log in. */
  readonly reservedUsers: ReadonlyMap<string, ReservedUser>;
  /** Native users, by name. */
  readonly users: ReadonlyMap<string, NativeUser>;
  /** By name; built-in roles are not among them. */
  readonly roles: ReadonlyMap<string, RoleDescriptor>;
  /** By name. */
  readonly roleMappings: ReadonlyMap<string, RoleMapping>;
  /** By id. */
  readonly apiKeys: ReadonlyMap<string, ApiKey>;
  /** By `<namespace>/<service>/<name>`. */
  readonly serviceTokens: ReadonlyMap<string, ServiceToken>;
  /** Bearer tokens, by id. */
  readonly bearerTokens: ReadonlyMap<string, BearerToken>;
  /** Privileges of applications, by `<application>:<name>`. */
  readonly applicationPrivileges: ReadonlyMap<string, ApplicationPrivilege>;
  /** By id. */
  readonly userProfiles: ReadonlyMap<string, UserProfile>;
}

export interface ReservedUser {
  /** Of bcrypt. */
  readonly passwordHash: string;
  readonly enabled: boolean;
}

export interface NativeUser {
  /** Given when the user is made, and never again; absent in users of earlier versions. */
  readonly id?: string;
  /** Of bcrypt. */
  readonly passwordHash: string;
  readonly roles: readonly string[];
  readonly fullName: string | null;
  readonly email: string | null;
  readonly metadata: JsonObject;
  readonly enabled: boolean;
}

/** What must hold of a user, in the API's own shape. */
export type MappingRule =
  | { readonly any: readonly MappingRule[] }
  | { readonly all: readonly MappingRule[] }
  | { readonly except: MappingRule }
  | { readonly field: Readonly<Record<string, JsonScalar | readonly JsonScalar[]>> };

/** Names of roles that are made for the user. */
export interface RoleTemplate {
  /** In the language mustache. */
  readonly source: string;
  readonly params: JsonObject;
  /** `json`: a list of names, or one as JSON. */
  readonly format: 'string' | 'json';
}

export interface RoleMapping {
  readonly enabled: boolean;
  readonly roles: readonly string[];
  /** Absent: none. */
  readonly roleTemplates?: readonly RoleTemplate[];
  readonly rules: MappingRule;
  readonly metadata: JsonObject;
}

export interface ApiKey {
  readonly name: string;
  /** Hexadecimal SHA-256 of the secret, which is 128 random bits: nothing slower would protect it better. */
  readonly secretHash: string;
  readonly createdAtMs: number;
  /** Never where absent. */
  readonly expiresAtMs?: number;
  /** Not at all where absent. */
  readonly invalidatedAtMs?: number;
  readonly owner: ApiKeyOwner;
  readonly roleDescriptors: RoleDescriptors;
  readonly limitedBy: RoleDescriptors;
  readonly metadata: JsonObject;
}

export interface ApiKeyOwner {
  readonly username: string;
  readonly realm: RealmName;
  readonly fullName: string | null;
  readonly email: string | null;
  readonly metadata: JsonObject;
}

export interface ServiceToken {
  /** Given when the token is made, and never again; absent in tokens of earlier versions. */
  readonly id?: string;
  /** Hexadecimal SHA-256. */
  readonly secretHash: string;
}

export interface BearerToken {
  /** Hexadecimal SHA-256 of both secrets. */
  readonly accessHash: string;
  /** Absent where the token cannot be refreshed. */
  readonly refreshHash?: string;
  readonly createdAtMs: number;
  readonly expiresAtMs: number;
  /** Whom it stands for. */
  readonly subject: Subject;
  /** Who asked for it, and may refresh it; absent in tokens of earlier versions. */
  readonly creator?: Pick<ApiKeyOwner, 'username' | 'realm'>;
  readonly isInvalidated: boolean;
  /** The refresh token was used, or invalidated. */
  readonly isRefreshed: boolean;
}

export interface UserProfile {
  /** As the user was when he last logged in to a program. */
  readonly user: ProfileUser;
  readonly enabled: boolean;
  readonly synchronizedAtMs: number;
  /** What can be looked for. */
  readonly labels: JsonObject;
  readonly data: JsonObject;
  /** Rises with each change. */
  readonly version: number;
}

export interface ProfileUser {
  readonly username: string;
  readonly realm: RealmName;
  readonly roles: readonly string[];
  readonly fullName: string | null;
  readonly email: string | null;
}

export interface ApplicationPrivilege {
  readonly application: string;
  readonly name: string;
  readonly actions: readonly string[];
  readonly metadata: JsonObject;
}

export const INITIAL_SECURITY: SecurityState = {
  reservedUsers: new Map(),
  users: new Map(),
  roles: new Map(),
  roleMappings: new Map(),
  apiKeys: new Map(),
  serviceTokens: new Map(),
  bearerTokens: new Map(),
  applicationPrivileges: new Map(),
  userProfiles: new Map(),
};
