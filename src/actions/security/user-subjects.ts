/** From what is kept of users, keys and tokens to the subjects of requests. */
import type { NodeSettings } from '../../base/node-settings.js';
import {
  ANONYMOUS_REALM,
  API_KEY_REALM,
  FILE_REALM,
  NATIVE_REALM,
  RESERVED_REALM,
  RESERVED_USERS,
  SERVICE_ACCOUNT_REALM,
} from '../../cluster/security/realms.js';
import type { FileUser } from '../../cluster/security/file-users.js';
import { mappedRoles } from '../../cluster/security/role-mapping.js';
import type {
  ApiKey,
  BearerToken,
  NativeUser,
  ReservedUser,
  SecurityState,
  ServiceToken,
} from '../../cluster/security/security-state.js';
import { serviceAccountRole } from '../../cluster/security/service-accounts.js';
import type { RealmName, Subject } from '../../cluster/security/subject.js';

/** A user as one of the realms keeps it. */
export type KnownUser =
  | { readonly realm: 'reserved'; readonly name: string; readonly record: ReservedUser }
  | { readonly realm: 'file'; readonly name: string; readonly record: FileUser }
  | { readonly realm: 'native'; readonly name: string; readonly record: NativeUser };

const REALMS: Readonly<Record<KnownUser['realm'], RealmName>> = {
  reserved: RESERVED_REALM,
  file: FILE_REALM,
  native: NATIVE_REALM,
};

/** Where users of one name may be: built-in ones hide all others, those of files come before native ones. */
export function usersNamed(
  name: string,
  fileUsers: ReadonlyMap<string, FileUser>,
  state: SecurityState,
): readonly KnownUser[] {
  if (RESERVED_USERS.has(name)) {
    const record = state.reservedUsers.get(name);
    return record === undefined ? [] : [{ realm: 'reserved', name, record }];
  }
  const inFile = fileUsers.get(name);
  const native = state.users.get(name);
  return [
    ...(inFile === undefined ? [] : [{ realm: 'file', name, record: inFile } as const]),
    ...(native === undefined ? [] : [{ realm: 'native', name, record: native } as const]),
  ];
}

/** The record by which a cached answer is told from one that no longer holds. */
export function currentRecord(
  { realm, name }: KnownUser,
  fileUsers: ReadonlyMap<string, FileUser>,
  state: SecurityState,
): object | undefined {
  if (realm === 'reserved') return state.reservedUsers.get(name);
  return realm === 'file' ? fileUsers.get(name) : state.users.get(name);
}

export function isEnabled(user: KnownUser): boolean {
  return user.realm === 'file' || user.record.enabled;
}

export class Subjects {
  private readonly anonymousName: string;
  private readonly anonymousRoles: readonly string[];

  constructor({ values }: NodeSettings) {
    this.anonymousName = values['security.anonymous.username'];
    this.anonymousRoles = values['security.anonymous.roles'];
  }

  /** Of requests without credentials; undefined where these are refused. */
  get anonymous(): Subject | undefined {
    if (this.anonymousRoles.length === 0) return undefined;
    return {
      ...plain(this.anonymousName, this.anonymousRoles),
      authenticationRealm: ANONYMOUS_REALM,
      lookupRealm: ANONYMOUS_REALM,
      authenticationType: 'anonymous',
    };
  }

  ofUser(user: KnownUser, state: SecurityState): Subject {
    const realm = REALMS[user.realm];
    return {
      ...plain(user.name, this.rolesOf(user, state)),
      ...(user.realm === 'native'
        ? {
            ...idOf(user.record),
            fullName: user.record.fullName,
            email: user.record.email,
            metadata: user.record.metadata,
          }
        : {}),
      ...(user.realm === 'reserved' ? { metadata: { _reserved: true } } : {}),
      enabled: isEnabled(user),
      authenticationRealm: realm,
      lookupRealm: realm,
      authenticationType: 'realm',
    };
  }

  ofApiKey(id: string, key: ApiKey): Subject {
    const { owner, name, metadata, roleDescriptors, limitedBy } = key;
    return {
      ...plain(owner.username, []),
      fullName: owner.fullName,
      email: owner.email,
      metadata: owner.metadata,
      authenticationRealm: API_KEY_REALM,
      lookupRealm: API_KEY_REALM,
      authenticationType: 'api_key',
      apiKey: { id, name, metadata, roleDescriptors, limitedBy, ownerRealm: owner.realm },
    };
  }

  ofBearerToken({ subject }: BearerToken): Subject {
    return { ...subject, authenticationType: 'token' };
  }

  /** `account` is one that exists. */
  ofServiceAccount(account: string, name: string, token: ServiceToken): Subject {
    return {
      ...plain(account, []),
      ...idOf(token),
      fullName: `Service account - ${account}`,
      metadata: { _elastic_service_account: true },
      authenticationRealm: SERVICE_ACCOUNT_REALM,
      lookupRealm: SERVICE_ACCOUNT_REALM,
      authenticationType: 'token',
      serviceAccount: {
        token: { type: '_service_account_index', name },
        roleDescriptor: serviceAccountRole(account),
      },
    };
  }

  /** As the user, with what the one who authenticated is known by. `user` is undefined where no realm knows one of the name. */
  runAs(name: string, user: KnownUser | undefined, runBy: Subject, state: SecurityState): Subject {
    const { authenticationRealm, authenticationType } = runBy;
    const base = user === undefined ? { ...plain(name, []), lookupRealm: null } : this.ofUser(user, state);
    return { ...base, authenticationRealm, authenticationType, runBy };
  }

  private rolesOf(user: KnownUser, state: SecurityState): readonly string[] {
    if (user.realm === 'reserved') return RESERVED_USERS.get(user.name) ?? [];
    const metadata = user.realm === 'native' ? user.record.metadata : {};
    const mapped = mappedRoles(state.roleMappings, {
      username: user.name,
      metadata,
      realmName: REALMS[user.realm].name,
    });
    return [...new Set([...user.record.roles, ...mapped, ...this.anonymousRoles])];
  }
}

function idOf({ id }: NativeUser | ServiceToken): Pick<Subject, 'userId'> {
  return id === undefined ? {} : { userId: id };
}

function plain(
  username: string,
  roles: readonly string[],
): Pick<Subject, 'username' | 'fullName' | 'email' | 'roles' | 'metadata' | 'enabled'> {
  return { username, fullName: null, email: null, roles, metadata: {}, enabled: true };
}
