/** Security as the front thread holds it: who is let in, whose password is what, and the first password of the built-in user. */
import { join } from 'node:path';
import type { KeptOutFigures, SecurityFigures } from '../../actions/front-figures.js';
import type { Authenticated } from '../../actions/security/authenticated-cache.js';
import { Authenticator } from '../../actions/security/authenticator.js';
import { readAuthorization, type Credentials } from '../../actions/security/credentials.js';
import { isPasswordHash, PasswordHasher, type Hasher } from '../../actions/security/password-hasher.js';
import { VerifiedPasswords } from '../../actions/security/verified-passwords.js';
import type { Clock } from '../../base/clock.js';
import { asQuarryError } from '../../base/error-wire.js';
import { QuarryError } from '../../base/errors.js';
import type { LogFields, Logger, LogLevel } from '../../base/logger.js';
import type { NodeSettings } from '../../base/node-settings.js';
import type { Random } from '../../base/random.js';
import { isRecovered, notRecovered, type OwnRun } from '../../cluster/blocks/global-blocks.js';
import { readFileUsers, type FileUser } from '../../cluster/security/file-users.js';
import type { AuditEntry, AuditOrigin } from '../../cluster/security/audit/audit-entry.js';
import { ADMIN } from '../../cluster/security/realms.js';
import type { Subject } from '../../cluster/security/subject.js';
import { emptyClusterState, type ClusterState } from '../../cluster/state.js';
import type { StateHolder } from '../../coordinator/state-holder.js';
import type { Entrance, Gate, Visitor } from '../../http/gate.js';
import { WaitingRoom } from '../../http/waiting-room.js';
import { WatchedTexts } from '../../store/watched-texts.js';
import type { Line } from '../../workers/mailbox.js';
import type { SecurityQuestion, SubmitMessage } from '../thread-messages.js';
import type { AuditedNode, AuditLog } from './audit-log.js';
import type { FrontAudit } from './front-audit.js';

export interface FrontSecurityServices {
  readonly settings: NodeSettings;
  readonly clock: Clock;
  readonly random: Random;
  readonly logger: Logger;
  readonly states: StateHolder;
  /** Resolves when the node belongs to a cluster, or is not waited for any longer. */
  readonly ready: Promise<void>;
  /** This start of the node; undefined before its ports are open. */
  readonly self: () => OwnRun | undefined;
  readonly coordinator: () => Line | undefined;
  /** Undefined: the node keeps no log of who does what. */
  readonly audit: FrontAudit | undefined;
  /** Of a side front; undefined: this front hashes passwords. */
  readonly hasher?: Hasher;
  /** Of a side front: whether the first front is still setting the first password of the built-in user. */
  readonly isBootstrapping?: boolean;
  /** Of the first front, which has the file; undefined in others, and where there is none. */
  readonly auditLog: AuditLog | undefined;
}

type Admitted = string | Promise<string>;

const KEPT_OUT = {
  none: 'anonymous',
  malformed: 'malformed',
  basic: 'failed',
  api_key: 'failed',
  service: 'failed',
  bearer: 'failed',
} as const satisfies Readonly<Record<Credentials['kind'], keyof KeptOutFigures>>;

const NO_STATE = emptyClusterState('', '');
const BOOTSTRAP_PAUSE_MS = 2_000;
/** Binary logarithm of the rounds where the setting has no number. */
const USUAL_COST = 10;

/** That of the node, which its first front has. */
function ownHasher({ settings, clock, random }: FrontSecurityServices): Hasher {
  const {
    'http.front_threads': fronts,
    'security.authc.password_hashing.algorithm': algorithm,
    'security.authc.cache.ttl': ttlMs,
    'security.authc.cache.max_users': sizeMax,
  } = settings.values;
  const hasher = new PasswordHasher(Number(algorithm.slice('bcrypt'.length)) || USUAL_COST);
  return fronts === 1 ? hasher : new VerifiedPasswords({ hasher, clock, random, ttlMs, sizeMax });
}

/** Of a node with `security.enabled`. */
export class FrontSecurity implements Entrance {
  readonly gate: Gate = (visitor) => this.letIn(visitor);
  readonly waitingRoom: WaitingRoom;
  private readonly services: FrontSecurityServices;
  private readonly hasher: Hasher;
  private readonly authenticator: Authenticator;
  private readonly files: WatchedTexts;
  private fileUsers: ReadonlyMap<string, FileUser> = new Map();
  private readonly keptOut = { failed: 0, anonymous: 0, malformed: 0, rejected: 0 };
  private isReady = false;
  /** The first password of the built-in user is on its way to the cluster state. */
  isBootstrapping: boolean;
  private isClosed = false;

  constructor(services: FrontSecurityServices) {
    const { settings, clock, random, logger } = services;
    this.services = services;
    this.isBootstrapping = services.isBootstrapping ?? false;
    this.hasher = services.hasher ?? ownHasher(services);
    this.waitingRoom = new WaitingRoom(settings.values['http.front_threads']);
    const fileUsers = (): ReadonlyMap<string, FileUser> => this.fileUsers;
    const state = (): ClusterState => this.state;
    const { hasher } = this;
    this.authenticator = new Authenticator({ settings, hasher, clock, random, logger, state, fileUsers });
    this.files = this.watchFiles(settings.values['path.config']);
    void services.ready.then(() => (this.isReady = true));
  }

  /** Resolves when users of files can log in. */
  async start(): Promise<void> {
    await Promise.all([this.files.start(), this.hasher.prepare()]);
  }

  /**
   * Gives the built-in user his first password, where he has none, once the node has `joined` its cluster. Resolves when it is
   * sure that he has, or when the node ends.
   */
  async bootstrap(password: string | undefined, joined: Promise<unknown>): Promise<void> {
    this.isBootstrapping = password !== undefined;
    try {
      await joined;
      if (password !== undefined) await this.setFirstPassword(password);
    } finally {
      // However it ended: nobody would ever be told that his credentials are wrong.
      this.isBootstrapping = false;
    }
  }

  private async setFirstPassword(password: string): Promise<void> {
    while (!this.isClosed && !this.state.reservedUsers.has(ADMIN)) {
      try {
        // Refused where too many passwords wait for it already.
        const passwordHash = await this.hasher.hash(password);
        const input = { username: ADMIN, passwordHash, isFirst: true };
        const message: SubmitMessage = { kind: 'submit', name: 'set-reserved-password', input };
        await this.services.coordinator()?.call(message);
        return;
      } catch (error) {
        this.log('warn', 'the first password of the admin could not be set', asQuarryError(error).message);
        await new Promise<void>((resolve) => this.services.clock.schedule(BOOTSTRAP_PAUSE_MS, resolve));
      }
    }
  }

  /** Says how the built-in user gets a password, where he has none. */
  warnWithoutPassword(): void {
    if (this.state.reservedUsers.has(ADMIN)) return;
    const how = 'set QUARRY_BOOTSTRAP_PASSWORD before the start, or run [quarry setup-passwords]';
    this.log('warn', `nobody can log in as [${ADMIN}]: it has no password`, how);
  }

  answer(question: SecurityQuestion): unknown {
    switch (question.kind) {
      case 'hash-password':
        return this.hasher.hash(question.password);
      case 'verify-password':
        if (question.hash !== undefined) return this.hasher.verify(question.password, question.hash);
        return this.hasher.refuse(question.password).then(() => false);
      case 'authenticate':
        return this.inBody(
          this.authenticator.withPassword(question.username, question.password, question.uri),
          question,
        );
      case 'authenticate-header':
        return this.inBody(this.authenticator.withHeader(question.authorization, question.uri), {
          username: '',
          ...question,
        });
      case 'is-there':
        return this.authenticator.isThere(question.subject);
      case 'clear-authentications':
        this.authenticator.clearCache(question.realms, question.usernames);
        // Those of all fronts, which only the first one has.
        if (this.hasher instanceof VerifiedPasswords) this.hasher.forget();
        return undefined;
    }
  }

  /** Requests for which there was no room to wait in are among those that were rejected. */
  figures(): SecurityFigures {
    const { rejected } = this.keptOut;
    const audit = this.services.auditLog?.figures();
    return {
      authentication: this.authenticator.figures(),
      keptOut: { ...this.keptOut, rejected: rejected + this.waitingRoom.refused },
      ...(audit === undefined ? {} : { audit }),
    };
  }

  /** What another thread tells the audit log. */
  audit(entry: AuditEntry): void {
    this.services.auditLog?.take(entry);
  }

  identify(node: AuditedNode): void {
    this.services.auditLog?.identify(node);
  }

  async close(): Promise<void> {
    this.isClosed = true;
    this.files.close();
    await this.services.auditLog?.close();
  }

  /** Who was named in the body of a request. */
  private async inBody(
    found: Promise<Subject>,
    { username, uri }: { readonly username: string; readonly uri: string },
  ): Promise<Subject> {
    try {
      return await found;
    } catch (refusal) {
      const error = this.unlessUnknown(refusal);
      if (error instanceof QuarryError && error.type === 'security_exception') {
        this.keptOut.failed++;
        this.services.audit?.refusedInBody(username, uri);
      }
      throw error;
    }
  }

  private letIn(visitor: Visitor): Admitted {
    const origin = this.services.audit?.origin(visitor);
    if (origin !== undefined) visitor.mark(JSON.stringify(origin));
    // Users are not known before the cluster is. Who says nothing of himself is a stranger all the same.
    const isKnown = this.isReady || visitor.authorization === '';
    return isKnown ? this.admit(visitor, origin) : this.services.ready.then(() => this.admit(visitor, origin));
  }

  private admit(visitor: Visitor, origin: AuditOrigin | undefined): Admitted {
    const { authorization, runAs, rawPath, query } = visitor;
    const uri = query === '' ? rawPath : `${rawPath}?${query}`;
    let found: Authenticated | Promise<Authenticated>;
    try {
      found = this.authenticator.authenticate({ authorization, runAs, uri });
    } catch (error) {
      return this.keepOut(authorization, origin, error);
    }
    if (!(found instanceof Promise)) return this.entered(found, origin);
    return found.then(
      (authenticated) => this.entered(authenticated, origin),
      (error: unknown) => this.keepOut(authorization, origin, error),
    );
  }

  private entered({ text }: Authenticated, origin: AuditOrigin | undefined): string {
    if (origin !== undefined) this.services.audit?.letIn(origin, text);
    return text;
  }

  private keepOut(authorization: string, origin: AuditOrigin | undefined, refusal: unknown): never {
    const isClaim = KEPT_OUT[readAuthorization(authorization).kind] === 'failed';
    const error = isClaim ? this.unlessUnknown(refusal) : refusal;
    this.countKeptOut(authorization, error);
    if (origin !== undefined) this.services.audit?.keptOut(origin, authorization, error);
    throw error;
  }

  /** Nobody's credentials are wrong where it is not known yet who has which: whoever could be let in is to come again. */
  private unlessUnknown(error: unknown): unknown {
    const isRefusal = error instanceof QuarryError && error.type === 'security_exception';
    return isRefusal && !this.areUsersKnown ? notRecovered() : error;
  }

  private get areUsersKnown(): boolean {
    const self = this.services.self();
    // Side fronts are not told when the first password is set, but see it.
    const isBuiltInKnown = !this.isBootstrapping || this.state.reservedUsers.has(ADMIN);
    return isBuiltInKnown && self !== undefined && isRecovered(this.state, self);
  }

  private countKeptOut(authorization: string, error: unknown): void {
    if (!(error instanceof QuarryError) || error.type !== 'security_exception') this.keptOut.rejected++;
    else this.keptOut[KEPT_OUT[readAuthorization(authorization).kind]]++;
  }

  private get state(): ClusterState {
    return this.services.states.isKnown ? this.services.states.current : NO_STATE;
  }

  private watchFiles(directory: string): WatchedTexts {
    return new WatchedTexts({
      paths: [join(directory, 'users'), join(directory, 'users_roles')],
      clock: this.services.clock,
      onTexts: ([users = '', usersRoles = '']) => {
        const read = readFileUsers(users, usersRoles, isPasswordHash);
        this.fileUsers = read.users;
        if (read.badLines.length > 0) {
          this.logOfFiles('error', 'lines of the files of users say nothing', { reason: read.badLines.join(', ') });
        }
      },
      onError: (error) => {
        this.logOfFiles('error', 'the files of users cannot be read', { reason: error.message });
      },
      onMended: () => {
        this.logOfFiles('info', 'the files of users can be read again');
      },
    });
  }

  private log(level: 'warn' | 'error', message: string, reason: string): void {
    this.services.logger.log(level, message, { reason });
  }

  /** Each front reads the files, and all find the same in them: the first one says it. */
  private logOfFiles(level: LogLevel, message: string, fields?: LogFields): void {
    if (this.services.hasher === undefined) this.services.logger.log(level, message, fields);
  }
}
