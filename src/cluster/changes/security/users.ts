/** Native users come, change and go; so do the passwords of reserved ones. Passwords come as hashes. */
import { QuarryError } from '../../../base/errors.js';
import { withEntries } from '../../../base/shared-map.js';
import { checkRoom } from '../../security/check-room.js';
import { USERS_MAX } from '../../security/limits.js';
import type { NativeUser } from '../../security/security-state.js';
import type { ClusterState } from '../../state.js';
import { nextState, type Change, type ChangeEnvironment } from '../change.js';

export interface PutUserInput {
  readonly username: string;
  /** All but the password, which stays where none comes. */
  readonly user: Omit<NativeUser, 'id' | 'passwordHash'>;
  readonly passwordHash?: string;
}

export function putUser(
  state: ClusterState,
  { username, user, passwordHash }: PutUserInput,
  environment: ChangeEnvironment,
): Change<{ readonly created: boolean }> {
  const before = state.users.get(username);
  const hash = passwordHash ?? before?.passwordHash;
  if (hash === undefined) throw invalid('password must be specified unless you are updating an existing user');
  // One who takes the name of another is another: tokens of the former do not stand for the new one.
  const id = before === undefined ? environment.newUuid() : before.id;
  const record: NativeUser = { ...user, ...(id === undefined ? {} : { id }), passwordHash: hash };
  checkRoom(state.users, new Map([[username, record]]), 'users', USERS_MAX);
  const users = withEntries(state.users, [[username, record]]);
  return { state: nextState(state, { users }, environment), result: { created: before === undefined } };
}

export interface NamedUserInput {
  readonly username: string;
}

export function deleteUser(
  state: ClusterState,
  { username }: NamedUserInput,
  environment: ChangeEnvironment,
): Change<{ readonly found: boolean }> {
  if (!state.users.has(username)) return { state, result: { found: false } };
  const users = withEntries(state.users, [], [username]);
  return { state: nextState(state, { users }, environment), result: { found: true } };
}

export interface SetUserEnabledInput extends NamedUserInput {
  readonly enabled: boolean;
}

export function setUserEnabled(
  state: ClusterState,
  { username, enabled }: SetUserEnabledInput,
  environment: ChangeEnvironment,
): Change<null> {
  const user = state.users.get(username);
  if (user === undefined) throw invalid(`only existing users can be ${enabled ? 'enabled' : 'disabled'}`);
  if (user.enabled === enabled) return { state, result: null };
  const users = withEntries(state.users, [[username, { ...user, enabled }]]);
  return { state: nextState(state, { users }, environment), result: null };
}

export interface SetPasswordInput extends NamedUserInput {
  readonly passwordHash: string;
}

export function setPassword(
  state: ClusterState,
  { username, passwordHash }: SetPasswordInput,
  environment: ChangeEnvironment,
): Change<null> {
  const user = state.users.get(username);
  if (user === undefined) throw invalid('user must exist in order to change password');
  const users = withEntries(state.users, [[username, { ...user, passwordHash }]]);
  return { state: nextState(state, { users }, environment), result: null };
}

export interface SetReservedPasswordInput extends SetPasswordInput {
  /** Changes nothing where the user has a password already. */
  readonly isFirst: boolean;
}

export function setReservedPassword(
  state: ClusterState,
  { username, passwordHash, isFirst }: SetReservedPasswordInput,
  environment: ChangeEnvironment,
): Change<{ readonly isSet: boolean }> {
  const user = state.reservedUsers.get(username);
  if (isFirst && user !== undefined) return { state, result: { isSet: false } };
  const reservedUsers = withEntries(state.reservedUsers, [[username, { enabled: true, ...user, passwordHash }]]);
  return { state: nextState(state, { reservedUsers }, environment), result: { isSet: true } };
}

export function setReservedEnabled(
  state: ClusterState,
  { username, enabled }: SetUserEnabledInput,
  environment: ChangeEnvironment,
): Change<null> {
  const user = state.reservedUsers.get(username);
  if (user === undefined) throw invalid(`user [${username}] has no password yet`);
  if (user.enabled === enabled) return { state, result: null };
  const reservedUsers = withEntries(state.reservedUsers, [[username, { ...user, enabled }]]);
  return { state: nextState(state, { reservedUsers }, environment), result: null };
}

function invalid(reason: string): QuarryError {
  return new QuarryError('validation_exception', `Validation Failed: 1: ${reason};`);
}
