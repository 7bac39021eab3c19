/**
 * Finds out who sends a request, in the front thread and before anything else is done for it. What is known already costs microseconds and no
 * promise; a password that is not costs a slow hash in another thread.
 */
import { QuarryError } from '../../base/errors.js';
import type { Clock } from '../../base/clock.js';
import type { Logger } from '../../base/logger.js';
import type { NodeSettings } from '../../base/node-settings.js';
import type { Random } from '../../base/random.js';
import { isSecret } from '../../base/secrets.js';
import type { FileUser } from '../../cluster/security/file-users.js';
import { SERVICE_ACCOUNTS } from '../../cluster/security/service-accounts.js';
import { subjectText } from '../../cluster/security/subject-text.js';
import type { Subject } from '../../cluster/security/subject.js';
import type { ClusterState } from '../../cluster/state.js';
import {
  AuthenticatedCache,
  type Authenticated,
  type CacheFigures,
  type CachedAuthentication,
} from './authenticated-cache.js';
import {
  missingCredentials,
  tokenExpired,
  unauthorized,
  wrongCredentials,
  wrongPassword,
} from './authentication-errors.js';
import { readBearerToken } from './bearer-token.js';
import { readAuthorization, type Credentials } from './credentials.js';
import { EnrolmentTries } from './enrolment-tries.js';
import { isSlowHash, type Hasher, type HasherFigures } from './password-hasher.js';
import { isOwnerThere } from './token-owner.js';
import { currentRecord, isEnabled, Subjects, usersNamed, type KnownUser } from './user-subjects.js';

/** What a request says of its sender. */
export interface Introduction {
  /** The header `Authorization`; empty: none. */
  readonly authorization: string;
  /** The header `es-security-runas-user`; undefined: none. */
  readonly runAs: string | undefined;
  /** Path and query: refusals name it. */
  readonly uri: string;
}

export interface AuthenticatorServices {
  readonly settings: NodeSettings;
  readonly hasher: Hasher;
  readonly clock: Clock;
  readonly random: Random;
  readonly logger: Logger;
  readonly state: () => ClusterState;
  readonly fileUsers: () => ReadonlyMap<string, FileUser>;
}

export interface AuthenticatorFigures {
  readonly cache: CacheFigures;
  readonly hashes: HasherFigures;
}

/** Users of whom the log is told that they cannot log in; of others beyond them it is not. */
const WARNED_MAX = 1_000;

type Found = CachedAuthentication | Promise<CachedAuthentication>;

export class Authenticator {
  private readonly services: AuthenticatorServices;
  private readonly subjects: Subjects;
  private readonly cache: AuthenticatedCache;
  private readonly anonymous: Authenticated | undefined;
  private readonly tries: EnrolmentTries;
  /** Passwords that are being checked, by their digests: a client that opens many connections at once has one checked. */
  private readonly underWay = new Map<string, Promise<Authenticated>>();
  private readonly warned = new Set<string>();

  constructor(services: AuthenticatorServices) {
    const { settings, clock, random } = services;
    const { 'security.authc.cache.ttl': ttlMs, 'security.authc.cache.max_users': sizeMax } = settings.values;
    this.services = services;
    this.tries = new EnrolmentTries(settings.values['http.front_threads']);
    this.subjects = new Subjects(settings);
    this.cache = new AuthenticatedCache(clock, random, ttlMs, sizeMax);
    const { anonymous } = this.subjects;
    this.anonymous = anonymous === undefined ? undefined : { subject: anonymous, text: subjectText(anonymous) };
  }

  figures(): AuthenticatorFigures {
    return { cache: this.cache.figures(), hashes: this.services.hasher.figures() };
  }

  /** Throws, or rejects with, `security_exception` of status 401. */
  authenticate(introduction: Introduction): Authenticated | Promise<Authenticated> {
    const { authorization, runAs, uri } = introduction;
    if (authorization === '') return this.withoutCredentials(uri);
    const digest = this.cache.digest(runAs === undefined ? authorization : `${authorization}\n${runAs}`);
    const known = this.cache.get(digest, this.services.state());
    if (known !== undefined) return known;
    const pending = this.underWay.get(digest);
    if (pending !== undefined) return pending;
    const found = this.find(readAuthorization(authorization), uri);
    if (found === undefined) return this.withoutCredentials(uri);
    if (!(found instanceof Promise)) return this.keep(digest, found, runAs);
    const checking = found
      .then((authentication) => this.keep(digest, authentication, runAs))
      .finally(() => this.underWay.delete(digest));
    this.underWay.set(digest, checking);
    return checking;
  }

  /** The user whose name and password these are; refused as {@link authenticate} refuses. */
  async withPassword(username: string, password: string, uri: string): Promise<Subject> {
    return (await this.ofPassword(username, password, uri)).subject;
  }

  /** Who sends this header; refused as {@link authenticate} refuses. */
  async withHeader(authorization: string, uri: string): Promise<Subject> {
    return (await this.authenticate({ authorization, runAs: undefined, uri })).subject;
  }

  /** Whether the user, the API key or the service account is still there for which a token stands. */
  isThere(subject: Subject, state: ClusterState = this.services.state()): boolean {
    const { clock, fileUsers } = this.services;
    const isAnonymousLetIn = this.anonymous !== undefined;
    return isOwnerThere(subject, { state, fileUsers: fileUsers(), isAnonymousLetIn, nowMs: clock.nowMs() });
  }

  /** Forgets whom it knows of these realms and names; empty lists: of all. */
  clearCache(realms: readonly string[], usernames: readonly string[]): void {
    this.cache.clear(
      ({ username, lookupRealm }) =>
        (realms.length === 0 || realms.includes(lookupRealm?.name ?? '')) &&
        (usernames.length === 0 || usernames.includes(username)),
    );
  }

  private withoutCredentials(uri: string): Authenticated {
    if (this.anonymous !== undefined) return this.anonymous;
    throw missingCredentials(uri);
  }

  private keep(digest: string, found: CachedAuthentication, runAs: string | undefined): Authenticated {
    const authentication = runAs === undefined ? found : this.runningAs(runAs, found);
    this.cache.put(digest, authentication);
    return authentication;
  }

  /** Undefined where nothing was said that could be checked. */
  private find(credentials: Credentials, uri: string): Found | undefined {
    switch (credentials.kind) {
      case 'none':
        return undefined;
      case 'malformed':
        if (credentials.scheme === 'basic') throw unauthorized(credentials.why);
        throw wrongCredentials(`API key: ${credentials.why}`);
      case 'basic':
        return this.ofPassword(credentials.username, credentials.password, uri);
      case 'api_key':
        return this.ofApiKey(credentials.id, credentials.secret);
      case 'bearer':
        return this.ofBearerToken(credentials.token);
      case 'service':
        return this.ofServiceToken(credentials.account, credentials.token, credentials.secret);
    }
  }

  private async ofPassword(username: string, password: string, uri: string): Promise<CachedAuthentication> {
    const { hasher, state, fileUsers } = this.services;
    const users = usersNamed(username, fileUsers(), state());
    // A name that nobody has takes as long as a wrong password.
    if (users.length === 0) await hasher.refuse(password);
    for (const user of users) {
      // Whoever is disabled is told neither by the answer nor by its time whether the password was right.
      if (!isEnabled(user)) await hasher.refuse(password);
      else if (await hasher.verify(password, user.record.passwordHash)) return this.ofUser(user);
      else if (isSlowHash(user.record.passwordHash)) this.warnOfSlowHash(username);
    }
    throw wrongPassword(username, uri);
  }

  /** The answer is that of a wrong password: only the log can say that no password is right. */
  private warnOfSlowHash(username: string): void {
    if (this.warned.has(username) || this.warned.size >= WARNED_MAX) return;
    this.warned.add(username);
    const message = `user [${username}] cannot log in with any password, and needs a new one`;
    this.services.logger.log('warn', message, { reason: 'the hash of the one that is stored has a cost above 14' });
  }

  private ofUser(user: KnownUser): CachedAuthentication {
    const state = this.services.state();
    const { roleMappings } = state;
    const subject = this.subjects.ofUser(user, state);
    return {
      ...withText(subject),
      holds: (now) => this.isCurrent(user, now) && now.roleMappings === roleMappings,
    };
  }

  private isCurrent(user: KnownUser, state: ClusterState): boolean {
    return currentRecord(user, this.services.fileUsers(), state) === user.record;
  }

  private ofApiKey(id: string, secret: string): CachedAuthentication {
    const { clock, state } = this.services;
    const key = state().apiKeys.get(id);
    if (key === undefined) throw wrongCredentials(`API key: unable to find apikey with id ${id}`);
    this.tries.check(id);
    if (!isSecret(secret, key.secretHash)) {
      this.tries.count(id, key);
      throw wrongCredentials(`API key: invalid credentials for API key [${id}]`);
    }
    if (key.invalidatedAtMs !== undefined) throw wrongCredentials('API key: api key has been invalidated');
    const { expiresAtMs = Infinity } = key;
    if (expiresAtMs <= clock.nowMs()) throw wrongCredentials('API key: api key is expired');
    return {
      ...withText(this.subjects.ofApiKey(id, key)),
      holds: (now) => now.apiKeys.get(id) === key && clock.nowMs() < expiresAtMs && !this.tries.isSpent(id),
    };
  }

  private ofBearerToken(value: string): CachedAuthentication {
    const { clock, state } = this.services;
    const { id, secret } = readBearerToken(value) ?? {};
    const token = id === undefined ? undefined : state().bearerTokens.get(id);
    if (id === undefined || secret === undefined || token === undefined || !isSecret(secret, token.accessHash)) {
      throw wrongCredentials('oauth2 token: invalid token');
    }
    if (token.isInvalidated || token.expiresAtMs <= clock.nowMs()) throw tokenExpired();
    if (!this.isThere(token.subject))
      throw wrongCredentials('oauth2 token: its user or API key is gone, disabled or expired');
    return {
      ...withText(this.subjects.ofBearerToken(token)),
      holds: (now) =>
        now.bearerTokens.get(id) === token && clock.nowMs() < token.expiresAtMs && this.isThere(token.subject, now),
    };
  }

  private ofServiceToken(account: string, name: string, secret: string): CachedAuthentication {
    const key = `${account}/${name}`;
    const token = this.services.state().serviceTokens.get(key);
    if (!SERVICE_ACCOUNTS.has(account) || token === undefined || !isSecret(secret, token.secretHash)) {
      throw unauthorized(`failed to authenticate service account [${account}] with token name [${name}]`);
    }
    return {
      ...withText(this.subjects.ofServiceAccount(account, name, token)),
      holds: (now) => now.serviceTokens.get(key) === token,
    };
  }

  /** Whether the one may run as the other is for authorisation to say. */
  private runningAs(name: string, { subject: runBy, holds }: CachedAuthentication): CachedAuthentication {
    const state = this.services.state();
    if (name === '') {
      const reason = `user [${runBy.username}] cannot run as a user without a name: [es-security-runas-user] is empty`;
      throw new QuarryError('security_exception', reason);
    }
    const [user] = usersNamed(name, this.services.fileUsers(), state);
    if (user !== undefined && !isEnabled(user)) throw unauthorized(`failed to authenticate user [${name}]`);
    const { roleMappings } = state;
    return {
      ...withText(this.subjects.runAs(name, user, runBy, state)),
      holds: (now) =>
        holds(now) &&
        now.roleMappings === roleMappings &&
        (user === undefined
          ? usersNamed(name, this.services.fileUsers(), now).length === 0
          : this.isCurrent(user, now)),
    };
  }
}

function withText(subject: Subject): Authenticated {
  return { subject, text: subjectText(subject) };
}
