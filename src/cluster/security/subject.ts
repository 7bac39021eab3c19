/** Who a request comes from, as authentication found out. Plain data without secrets: it crosses threads and nodes. */
import type { JsonObject } from '../../base/json-value.js';
import type { RoleDescriptor } from './role-descriptor.js';

/** Where a user is kept. */
export interface RealmName {
  readonly name: string;
  readonly type: string;
}

export type AuthenticationType = 'realm' | 'api_key' | 'token' | 'anonymous';

/** By the name of the role. */
export type RoleDescriptors = Readonly<Record<string, RoleDescriptor>>;

export interface ApiKeySubject {
  readonly id: string;
  readonly name: string;
  readonly metadata: JsonObject;
  /** What the key was given; empty: all that its owner may do. */
  readonly roleDescriptors: RoleDescriptors;
  /** What the owner was allowed to when the key was made or last updated: the key may do what both allow. */
  readonly limitedBy: RoleDescriptors;
  /** Where the owner of the key is kept. */
  readonly ownerRealm: RealmName;
}

export interface ServiceAccountSubject {
  readonly token: { readonly type: string; readonly name: string };
  /** What the account may do; its user has no roles. */
  readonly roleDescriptor: RoleDescriptor;
}

export interface Subject {
  readonly username: string;
  /** Of native users and tokens of service accounts: tells them from later ones of the same name. Absent where they have no id. */
  readonly userId?: string;
  readonly fullName: string | null;
  readonly email: string | null;
  /** Names of roles, with those of role mappings and of the anonymous user. Empty for API keys and service accounts. */
  readonly roles: readonly string[];
  readonly metadata: JsonObject;
  readonly enabled: boolean;
  /** Where credentials were checked. */
  readonly authenticationRealm: RealmName;
  /** Where the user was looked up; null for a user to be run as whom no realm knows: such a request is to be refused. */
  readonly lookupRealm: RealmName | null;
  readonly authenticationType: AuthenticationType;
  /** Of `api_key` only. */
  readonly apiKey?: ApiKeySubject;
  /** Of service accounts only. */
  readonly serviceAccount?: ServiceAccountSubject;
  /** Who authenticated, where the request is to run as another user. Whether that is allowed is for authorisation to say. */
  readonly runBy?: Subject;
}
