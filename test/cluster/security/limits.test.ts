/** What the cluster keeps of users, roles, keys and tokens: as many as the limit says, and not one more. */
import { describe, expect, it, test } from 'vitest';
import { createApiKey, invalidateApiKeys } from '../../../src/cluster/changes/security/api-keys.js';
import type { Change } from '../../../src/cluster/changes/change.js';
import { putApplicationPrivileges } from '../../../src/cluster/changes/security/privileges.js';
import { putRole, putRoleMapping } from '../../../src/cluster/changes/security/roles.js';
import { createBearerToken, createServiceToken } from '../../../src/cluster/changes/security/tokens.js';
import { activateProfile } from '../../../src/cluster/changes/security/user-profiles.js';
import { putUser } from '../../../src/cluster/changes/security/users.js';
import {
  API_KEYS_MAX,
  APPLICATION_PRIVILEGES_MAX,
  BEARER_TOKENS_MAX,
  RECORD_LENGTH_MAX,
  RECORDS_LENGTH_MAX,
  ROLE_MAPPINGS_MAX,
  ROLES_MAX,
  SERVICE_TOKENS_MAX,
  USER_PROFILES_MAX,
  USERS_MAX,
} from '../../../src/cluster/security/limits.js';
import { FILE_USERS_MAX, readFileUsers } from '../../../src/cluster/security/file-users.js';
import type { RoleDescriptor } from '../../../src/cluster/security/role-descriptor.js';
import type { ApiKey, BearerToken, NativeUser, UserProfile } from '../../../src/cluster/security/security-state.js';
import type { Subject } from '../../../src/cluster/security/subject.js';
import { emptyClusterState, type ClusterState } from '../../../src/cluster/state.js';
import { environment, NOW_MS } from '../support.js';

const HOUR_MS = 3_600_000;
const REALM = { name: 'native', type: 'native' } as const;
const ROLE = { cluster: [], indices: [], applications: [], runAs: [], metadata: {} } as unknown as RoleDescriptor;
const USER: Omit<NativeUser, 'passwordHash'> = { roles: [], fullName: null, email: null, metadata: {}, enabled: true };
const KEY: ApiKey = {
  name: 'key',
  secretHash: '00',
  createdAtMs: NOW_MS,
  owner: { username: 'u', realm: REALM, fullName: null, email: null, metadata: {} },
  roleDescriptors: {},
  limitedBy: {},
  metadata: {},
};
const BEARER: BearerToken = {
  accessHash: '00',
  createdAtMs: NOW_MS,
  expiresAtMs: NOW_MS + HOUR_MS,
  subject: { username: 'u' } as unknown as Subject,
  isInvalidated: false,
  isRefreshed: false,
};
const padding = (length: number): { readonly padding: string } => ({ padding: 'x'.repeat(length) });

type Kind = keyof Pick<
  ClusterState,
  | 'users'
  | 'roles'
  | 'roleMappings'
  | 'apiKeys'
  | 'serviceTokens'
  | 'bearerTokens'
  | 'userProfiles'
  | 'applicationPrivileges'
>;
type Put = (state: ClusterState, name: string, metadata: { readonly padding?: string }) => Change<unknown>;

const KINDS: readonly (readonly [Kind, string, number, Put])[] = [
  [
    ...(['users', 'users', USERS_MAX] as const),
    (state, username, metadata) =>
      putUser(state, { username, user: { ...USER, metadata }, passwordHash: 'hash' }, environment()),
  ],
  [
    ...(['roles', 'roles', ROLES_MAX] as const),
    (state, name, metadata) => putRole(state, { name, descriptor: { ...ROLE, metadata } }, environment()),
  ],
  [
    ...(['roleMappings', 'role mappings', ROLE_MAPPINGS_MAX] as const),
    (state, name, metadata) =>
      putRoleMapping(
        state,
        { name, mapping: { enabled: true, roles: [], rules: { field: { username: 'u' } }, metadata } },
        environment(),
      ),
  ],
  [
    ...(['apiKeys', 'API keys', API_KEYS_MAX] as const),
    (state, id, metadata) => createApiKey(state, { id, key: { ...KEY, metadata } }, environment()),
  ],
  [
    ...(['serviceTokens', 'service tokens', SERVICE_TOKENS_MAX] as const),
    (state, key, { padding: secretHash = '00' }) =>
      createServiceToken(state, { key, token: { secretHash } }, environment()),
  ],
  [
    ...(['bearerTokens', 'bearer tokens', BEARER_TOKENS_MAX] as const),
    (state, id, { padding: accessHash = '00' }) =>
      createBearerToken(state, { id, token: { ...BEARER, accessHash } }, environment()),
  ],
  [
    ...(['userProfiles', 'user profiles', USER_PROFILES_MAX] as const),
    (state, uid, metadata) =>
      activateProfile(state, { uid, user: { ...metadata } as unknown as UserProfile['user'] }, environment()),
  ],
  [
    ...(['applicationPrivileges', 'privileges of applications', APPLICATION_PRIVILEGES_MAX] as const),
    (state, name, metadata) =>
      putApplicationPrivileges(
        state,
        { privileges: [{ application: 'app', name, actions: [], metadata }] },
        environment(),
      ),
  ],
];

/** A state with so many of a kind, each a copy of one that was put. */
function filled(kind: Kind, put: Put, count: number, metadata = {}): ClusterState {
  const one = put(emptyClusterState('c', 'u'), 'model', metadata).state;
  const [record] = [...one[kind].values()];
  const copies = Array.from({ length: count }, (_, at) => [`n${at}`, { ...record }] as const);
  return { ...one, [kind]: new Map(copies) };
}

describe.each(KINDS)('%s', (kind, what, limit, put) => {
  it('are kept up to their limit', () => {
    const before = filled(kind, put, limit - 1);
    const full = put(before, 'other', {}).state;
    expect(full[kind].size).toBe(limit);
    expect(() => put(full, 'extra', {})).toThrow(`there are [${limit}] ${what} already, which is the limit`);
    expect(full[kind].size).toBe(limit);
  });

  it('have a size each, and one together', () => {
    const empty = emptyClusterState('c', 'u');
    const sizeOf = (state: ClusterState): number => JSON.stringify([...state[kind].values()][0]).length;
    const room = RECORD_LENGTH_MAX - sizeOf(put(empty, 'model', padding(0)).state);
    const largest = put(empty, 'model', padding(room)).state;
    expect(sizeOf(largest)).toBe(RECORD_LENGTH_MAX);
    const refusal = `of [${RECORD_LENGTH_MAX + 1}] characters is larger than [${RECORD_LENGTH_MAX}], the limit of ${what}`;
    expect(() => put(empty, 'model', padding(room + 1))).toThrow(refusal);
    const together = filled(kind, put, RECORDS_LENGTH_MAX / RECORD_LENGTH_MAX - 1, padding(room));
    const full = put(together, 'other', padding(room)).state;
    expect(() => put(full, 'extra', {})).toThrow(`more than [${RECORDS_LENGTH_MAX}], the limit of all together`);
    // What is there may change.
    if (kind !== 'serviceTokens') put(full, 'other', {});
  });
});

test('API keys that are dead keep out none that could be used', () => {
  const put = KINDS.find(([kind]) => kind === 'apiKeys')?.[3];
  if (put === undefined) throw new Error('no keys');
  const full = filled('apiKeys', put, API_KEYS_MAX);
  const { state } = invalidateApiKeys(full, { ids: ['n1', 'n2'] }, environment(NOW_MS - 1));
  expect(state.apiKeys.size).toBe(API_KEYS_MAX);
  const more = put(state, 'new', {}).state;
  expect([more.apiKeys.size, more.apiKeys.has('n1'), more.apiKeys.has('n3')]).toEqual([API_KEYS_MAX - 1, false, true]);
});

test('API keys that are dead keep out none by their length either', () => {
  const put = KINDS.find(([kind]) => kind === 'apiKeys')?.[3];
  if (put === undefined) throw new Error('no keys');
  const empty = emptyClusterState('c', 'u');
  const bare = JSON.stringify(put(empty, 'model', padding(0)).state.apiKeys.get('model')).length;
  const count = RECORDS_LENGTH_MAX / RECORD_LENGTH_MAX;
  const full = filled('apiKeys', put, count, padding(RECORD_LENGTH_MAX - bare));
  expect(() => put(full, 'new', {})).toThrow('the limit of all together');
  const { state } = invalidateApiKeys(full, { ids: ['n1'] }, environment(NOW_MS - 1));
  const more = put(state, 'new', {}).state;
  expect([more.apiKeys.size, more.apiKeys.has('n1'), more.apiKeys.has('new')]).toEqual([count, false, true]);
});

test('a kind that is over its total may become smaller, and not larger', () => {
  const put = KINDS.find(([kind]) => kind === 'users')?.[3];
  if (put === undefined) throw new Error('no users');
  const over = filled('users', put, 300, padding(250 * 1024));
  expect(put(over, 'n1', padding(250 * 1024 - 1)).state.users.size).toBe(300);
  expect(() => put(over, 'n1', padding(250 * 1024 + 1))).toThrow('the limit of all together');
});

test('an enrolment token that is used, or has expired, keeps no parcel', () => {
  const metadata = { enrollment: { scope: 'node', hosts: ['h'], sealed: 'parcel' }, other: 1 };
  const emptied = { enrollment: { scope: 'node', hosts: ['h'] }, other: 1 };
  const add = (state: ClusterState, id: string, key: Partial<ApiKey>, nowMs = NOW_MS): ClusterState =>
    createApiKey(state, { id, key: { ...KEY, ...key } }, environment(nowMs)).state;
  const made = add(emptyClusterState('c', 'u'), 'one', { metadata, expiresAtMs: NOW_MS + HOUR_MS });
  expect(add(made, 'two', {}).apiKeys.get('one')?.metadata).toEqual(metadata);
  expect(add(made, 'two', {}, NOW_MS + HOUR_MS + 1).apiKeys.get('one')?.metadata).toEqual(emptied);
  const used = invalidateApiKeys(made, { ids: ['one'] }, environment()).state.apiKeys.get('one');
  expect(used).toMatchObject({ metadata: emptied, invalidatedAtMs: NOW_MS });
});

test('keys that are dead for longer than the retention are removed when another is made', () => {
  const add = (state: ClusterState, id: string, nowMs: number): ClusterState =>
    createApiKey(state, { id, key: { ...KEY, expiresAtMs: NOW_MS + HOUR_MS } }, environment(nowMs)).state;
  const made = add(emptyClusterState('c', 'u'), 'one', NOW_MS);
  const deadMs = NOW_MS + HOUR_MS;
  const kept = (state: ClusterState, nowMs: number): boolean => add(state, 'two', nowMs).apiKeys.has('one');
  expect([kept(made, deadMs + 7 * 24 * HOUR_MS), kept(made, deadMs + 7 * 24 * HOUR_MS + 1)]).toEqual([true, false]);
  const persistent = new Map([['xpack.security.authc.api_key.delete.retention_period', '1m']]);
  const brief = { ...made, clusterSettings: { ...made.clusterSettings, persistent } };
  expect([kept(brief, deadMs + 60_000), kept(brief, deadMs + 60_001)]).toEqual([true, false]);
});

test('users of files are read up to their limit, and the line beyond it is told', () => {
  const lines = (count: number): string => Array.from({ length: count }, (_, at) => `u${at}:hash`).join('\n');
  const full = readFileUsers(lines(FILE_USERS_MAX), '', () => true);
  expect([full.users.size, full.badLines]).toEqual([FILE_USERS_MAX, []]);
  const beyond = readFileUsers(lines(FILE_USERS_MAX + 1), '', () => true);
  expect([beyond.users.size, beyond.badLines]).toEqual([FILE_USERS_MAX, [`users:${FILE_USERS_MAX + 1}`]]);
});
