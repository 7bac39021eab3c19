/** `quarry users`: users in files. A node that runs sees each change within a second. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { passwordFaults } from '../actions/security/password-faults.js';
import { isPasswordHash, PasswordHasher } from '../actions/security/password-hasher.js';
import { illegalArgument, QuarryError } from '../base/errors.js';
import { newId, systemRandom } from '../base/random.js';
import { newSecret } from '../base/secrets.js';
import { RESERVED_USERS } from '../cluster/security/realms.js';
import { builtInRoles } from '../cluster/security/privileges/built-in-roles.js';
import { FILE_USERS_MAX, readFileUsers, writeFileUsers, type FileUser } from '../cluster/security/file-users.js';
import { missingDirectories, readTextIfPresent, removeFile, removeIfEmpty } from '../store/files.js';
import { makeNodeDirectory, writeNodeFile } from '../store/node-files.js';
import { askNode, readAuthorities, whyNoAnswer, type NodeAnswer, type Question } from './ask-node.js';
import { SecretInput } from './secret-input.js';

const COST = 10;
const NAME = /^[\x21-\x7e][\x20-\x7e]{0,506}$/;
/** Without the colon that ends it in the file, and without what begins a comment there. */
const ROLE = /^(?!#)[\x20-\x39\x3b-\x7e]+$/;
/** How long a node may take to see a file. */
const SEEN_TRIES_MAX = 50;
const SEEN_PAUSE_MS = 200;
/** Of a user at a terminal, and of a supervisor. */
const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

export class UsersCommands {
  private readonly directory: string;
  private readonly usersPath: string;
  private readonly rolesPath: string;
  private readonly hasher = new PasswordHasher(COST);

  /** `directory`: of the configuration. */
  constructor(directory: string) {
    this.directory = directory;
    this.usersPath = join(directory, 'users');
    this.rolesPath = join(directory, 'users_roles');
  }

  async add(name: string, password: string | undefined, roles: string): Promise<void> {
    const users = this.read();
    if (users.has(name)) throw illegalArgument(`user [${name}] already exists`);
    if (users.size >= FILE_USERS_MAX)
      throw illegalArgument(`there are [${FILE_USERS_MAX}] users already, which is the limit`);
    if (!NAME.test(name) || /^#|[:,]/.test(name) || name !== name.trim()) {
      const reason = `[${name}] is no name of a user: it has 1 to 507 printable ASCII characters, none of them [:] or [,], and does not begin with [#]`;
      throw illegalArgument(reason);
    }
    if (RESERVED_USERS.has(name)) {
      throw illegalArgument(`Invalid username [${name}]... Username [${name}] is reserved and may not be used.`);
    }
    const named = rolesIn(roles);
    const passwordHash = await this.hash(password);
    await this.write(new Map(users).set(name, { passwordHash, roles: named }));
    warnOfUnknownRoles(named);
  }

  async remove(name: string): Promise<void> {
    const users = new Map(this.read());
    this.named(users, name);
    users.delete(name);
    await this.write(users);
  }

  async changePassword(name: string, password: string | undefined): Promise<void> {
    const users = this.read();
    const user = this.named(users, name);
    await this.write(new Map(users).set(name, { ...user, passwordHash: await this.hash(password) }));
  }

  async changeRoles(name: string, added: string, removed: string): Promise<void> {
    const users = this.read();
    const user = this.named(users, name);
    const gone = new Set(namesIn(removed));
    const given = rolesIn(added);
    const roles = [...new Set([...user.roles, ...given])].filter((role) => !gone.has(role));
    const changed = new Map(users).set(name, { ...user, roles });
    if (added !== '' || removed !== '') await this.write(changed);
    print(name, roles);
    warnOfUnknownRoles(given);
  }

  /** A user who is there for as long as `work` takes. What had to be made for him goes with him. */
  async lend(name: string, password: string, roles: string, work: () => Promise<void>): Promise<void> {
    const files = [this.usersPath, this.rolesPath].filter((path) => !existsSync(path));
    const directories = missingDirectories(this.directory);
    try {
      await this.add(name, password, roles);
      try {
        await work();
      } finally {
        await this.remove(name);
      }
    } finally {
      // Somebody else may have added users meanwhile.
      for (const file of files) if (readTextIfPresent(file) === '') await removeFile(file);
      for (const directory of directories) await removeIfEmpty(directory);
    }
  }

  list(name?: string): void {
    const users = this.read();
    if (name !== undefined) this.named(users, name);
    for (const [each, { roles }] of users) if (name === undefined || each === name) print(each, roles);
  }

  private named(users: ReadonlyMap<string, FileUser>, name: string): FileUser {
    const user = users.get(name);
    if (user === undefined) throw illegalArgument(`user [${name}] does not exist`);
    return user;
  }

  /** A file that this would write otherwise is left to the one who wrote it. */
  private read(): ReadonlyMap<string, FileUser> {
    const texts = [this.usersPath, this.rolesPath].map((path) => readTextIfPresent(path) ?? '');
    const { users, badLines } = readFileUsers(texts[0] ?? '', texts[1] ?? '', isPasswordHash);
    if (badLines.length === 0) return users;
    throw illegalArgument(`lines that say nothing: [${badLines.join(', ')}]; mend or remove them first`);
  }

  /** Both files or none. */
  private async write(users: ReadonlyMap<string, FileUser>): Promise<void> {
    const texts = writeFileUsers(users);
    makeNodeDirectory(this.directory);
    const formerRoles = readTextIfPresent(this.rolesPath);
    await writeNodeFile(this.rolesPath, texts.usersRoles);
    try {
      await writeNodeFile(this.usersPath, texts.users);
    } catch (error) {
      if (formerRoles === undefined) await removeFile(this.rolesPath);
      else await writeNodeFile(this.rolesPath, formerRoles);
      throw error;
    }
  }

  private async hash(given: string | undefined): Promise<string> {
    return this.hasher.hash(await readPassword(given));
  }
}

export interface SetUpOptions {
  readonly url: string;
  /** File of the authorities that the node's certificate may be of. */
  readonly ca?: string;
  readonly password?: string;
}

/** By a user who may do everything, and is there for as long as this takes. */
export async function setUpPassword(directory: string, { url, ca, password: given }: SetUpOptions): Promise<void> {
  const authority = readAuthorities(ca);
  const password = await readPassword(given);
  const users = new UsersCommands(directory);
  const name = `setup-${newId(systemRandom)}`;
  const secret = newSecret(systemRandom);
  const interruption = new AbortController();
  const interrupt = (signal: NodeJS.Signals): void => {
    interruption.abort(new QuarryError('illegal_argument_exception', `interrupted by ${signal}: no password was set`));
  };
  for (const signal of SIGNALS) process.on(signal, interrupt);
  try {
    await users.lend(name, secret, 'superuser', async () => {
      const authorization = `Basic ${Buffer.from(`${name}:${secret}`).toString('base64')}`;
      await changeAdmin(url, { authorization, authority, signal: interruption.signal }, password, directory);
    });
  } finally {
    for (const signal of SIGNALS) process.off(signal, interrupt);
  }
  process.stdout.write('the password of [admin] is set\n');
}

async function changeAdmin(
  url: string,
  who: Pick<Question, 'authorization' | 'authority'> & { readonly signal: AbortSignal },
  password: string,
  directory: string,
): Promise<void> {
  const body = JSON.stringify({ password });
  for (let tries = 1; ; tries++) {
    const { status, text } = await ask(url, { ...who, method: 'POST', body });
    if (status === 200) return;
    if (status !== 401 || tries === SEEN_TRIES_MAX) {
      const hint =
        status === 401 ? `. It sees no users of [${directory}]: it has another folder, or may not read it` : '';
      const reason = `the node at [${url}] refused: ${status} ${text.slice(0, 500)}${hint}`;
      throw new QuarryError('illegal_argument_exception', reason);
    }
    await new Promise((resolve) => setTimeout(resolve, SEEN_PAUSE_MS));
  }
}

async function ask(url: string, question: Question & { readonly signal: AbortSignal }): Promise<NodeAnswer> {
  if (!URL.canParse(url)) throw illegalArgument(`[--url ${url}] is no address such as http://127.0.0.1:9200`);
  const asked = new URL(url);
  // What stands before the node may have a path of its own.
  asked.pathname = `${asked.pathname.replace(/\/+$/, '')}/_security/user/admin/_password`;
  try {
    question.signal.throwIfAborted();
    return await askNode(asked, question);
  } catch (error) {
    question.signal.throwIfAborted();
    throw new QuarryError('illegal_argument_exception', `the node at [${url}] does not answer: ${whyNoAnswer(error)}`);
  }
}

async function readPassword(given: string | undefined): Promise<string> {
  const password = given ?? (await new SecretInput().newPassword('New password'));
  const [fault] = passwordFaults(password);
  if (fault !== undefined) throw illegalArgument(fault);
  return password;
}

/** Refuses names that the file would say otherwise, or not at all. */
function rolesIn(text: string): readonly string[] {
  const names = namesIn(text);
  const bad = names.find((name) => !ROLE.test(name));
  if (bad === undefined) return names;
  throw illegalArgument(
    `[${bad}] is no name of a role: it has printable ASCII characters, none of them [:] or [,], and does not begin with [#]`,
  );
}

/** The cluster may have them, or get them later: a command that knows files only cannot tell. */
function warnOfUnknownRoles(names: readonly string[]): void {
  for (const name of names.filter((each) => !builtInRoles().has(each))) {
    process.stderr.write(
      `quarry: WARNING: [${name}] is no built-in role: it grants nothing unless the cluster has a role of that name\n`,
    );
  }
}

function namesIn(text: string): readonly string[] {
  return text
    .split(',')
    .map((name) => name.trim())
    .filter((name) => name !== '');
}

function print(name: string, roles: readonly string[]): void {
  process.stdout.write(`${name.padEnd(15)}: ${roles.length === 0 ? '-' : roles.join(',')}\n`);
}
