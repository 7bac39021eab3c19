/** `quarry keystore`: what its commands do with the file. */
import { readFile, stat } from 'node:fs/promises';
import { QuarryError } from '../base/errors.js';
import { isSecureSetting, SECURE_NAME } from '../base/secure-settings.js';
import { fileError } from '../store/files.js';
import { makeNodeDirectory } from '../store/node-files.js';
import { dirname } from 'node:path';
import {
  needsPassword,
  PASSWORD_LENGTH_MAX,
  sealKeystore,
  unsealKeystore,
  type KeystoreEntries,
} from '../store/keystore/keystore-format.js';
import {
  keystorePath,
  readKeystoreFile,
  writeKeystoreFile,
  type KeystoreFile,
} from '../store/keystore/keystore-file.js';
import { passwordOfEnvironment } from './passphrase.js';
import { SecretInput } from './secret-input.js';
import { configFileOf } from './settings.js';

const VALUE_BYTES_MAX = 64 << 10;
const FILE_BYTES_MAX = 1 << 20;

interface OpenKeystore {
  readonly file: KeystoreFile;
  readonly entries: KeystoreEntries;
  readonly password: string;
  readonly isOutdated: boolean;
}

export class KeystoreCommands {
  private readonly path: string;
  private input = new SecretInput();

  /** `config`: the configuration file beside which the keystore lies; undefined: the usual one. */
  constructor(config: string | undefined) {
    this.path = keystorePath(configFileOf(config));
  }

  async create(asksPassword: boolean): Promise<void> {
    if ((await readKeystoreFile(this.path, 'administrator')) !== undefined) {
      throw refused(`keystore [${this.path}] is there already`);
    }
    const password = passwordOfEnvironment() ?? (asksPassword ? await this.input.newPassword() : '');
    makeNodeDirectory(dirname(this.path));
    await this.write(new Map(), password, undefined);
    print(`created ${this.path}`);
  }

  async list(): Promise<void> {
    const { entries } = await this.open();
    for (const name of [...entries.keys()].sort()) print(name);
  }

  /** Values come from the terminal, or line by line from the standard input. */
  async add(names: readonly string[], overwrites: boolean, readsStdin: boolean): Promise<void> {
    if (readsStdin) this.input = new SecretInput(false);
    names.forEach(checkName);
    const open = await this.openOrMake(overwrites);
    checkAbsent(open.entries, names, overwrites);
    const added = new Map(open.entries);
    for (const name of names) {
      const value = Buffer.from(await this.input.line(`Value of ${name}`), 'utf8');
      if (value.length === 0) throw refused(`the value of [${name}] is empty`);
      if (value.length > VALUE_BYTES_MAX)
        throw refused(`the value of [${name}] has more than [${VALUE_BYTES_MAX}] bytes`);
      added.set(name, value);
    }
    await this.write(added, open.password, open.file);
    warnOfUnknown(names);
  }

  /** `pairs`: a name, the path of a file, and so on. */
  async addFiles(pairs: readonly string[], overwrites: boolean): Promise<void> {
    if (pairs.length % 2 !== 0) throw refused('each setting needs the path of a file: NAME FILE [NAME FILE ...]');
    const files = Array.from(
      { length: pairs.length / 2 },
      (_, at) => [pairs[2 * at] ?? '', pairs[2 * at + 1] ?? ''] as const,
    );
    const names = files.map(([name]) => name);
    names.forEach(checkName);
    const open = await this.openOrMake(overwrites);
    checkAbsent(open.entries, names, overwrites);
    const added = new Map(open.entries);
    for (const [name, path] of files) added.set(name, await readWhole(path));
    await this.write(added, open.password, open.file);
    warnOfUnknown(names);
  }

  async show(name: string): Promise<void> {
    const { entries } = await this.open();
    const value = entries.get(name);
    if (value === undefined) throw missing(name);
    process.stdout.write(value);
    if (process.stdout.isTTY) process.stdout.write('\n');
  }

  async remove(names: readonly string[]): Promise<void> {
    const { entries, password, file } = await this.open();
    const absent = names.find((name) => !entries.has(name));
    if (absent !== undefined) throw missing(absent);
    await this.write(new Map([...entries].filter(([name]) => !names.includes(name))), password, file);
  }

  async changePassword(): Promise<void> {
    const { entries, file } = await this.open();
    await this.write(entries, await this.input.newPassword(), file);
    print('the keystore has its new password');
  }

  /** Whether it has one. */
  async hasPassword(): Promise<boolean> {
    const { text } = await this.file();
    const isNeeded = needsPassword(text, this.path);
    print(isNeeded ? 'the keystore is protected by a password' : 'the keystore is not protected by a password');
    return isNeeded;
  }

  async upgrade(): Promise<void> {
    const { entries, password, file, isOutdated } = await this.open();
    if (isOutdated) await this.write(entries, password, file);
    print(isOutdated ? 'the keystore was written in the newest format' : 'the keystore has the newest format already');
  }

  private async file(): Promise<KeystoreFile> {
    const file = await readKeystoreFile(this.path, 'administrator');
    if (file !== undefined) return file;
    throw refused(`keystore [${this.path}] does not exist: [quarry keystore create] makes one`);
  }

  private async open(): Promise<OpenKeystore> {
    const file = await this.file();
    const given = passwordOfEnvironment();
    const isNeeded = needsPassword(file.text, this.path);
    const password = isNeeded ? (given ?? (await this.input.line('Password of the keystore'))) : '';
    return { file, password, ...(await unsealKeystore(file.text, password, this.path)) };
  }

  private async openOrMake(
    makes: boolean,
  ): Promise<Pick<OpenKeystore, 'entries' | 'password'> & { file?: KeystoreFile }> {
    const isThere = (await readKeystoreFile(this.path, 'administrator')) !== undefined;
    if (isThere || !makes) return this.open();
    makeNodeDirectory(dirname(this.path));
    return { entries: new Map(), password: passwordOfEnvironment() ?? '' };
  }

  private async write(entries: KeystoreEntries, password: string, former: KeystoreFile | undefined): Promise<void> {
    if (password.length > PASSWORD_LENGTH_MAX)
      throw refused(`a password has at most [${PASSWORD_LENGTH_MAX}] characters`);
    await writeKeystoreFile(this.path, await sealKeystore(entries, password), former);
  }
}

function checkName(name: string): void {
  if (SECURE_NAME.test(name)) return;
  throw refused(`[${name}] is no name of a setting: letters, digits, [_], [.] and [-] are allowed, 255 at most`);
}

function checkAbsent(entries: KeystoreEntries, names: readonly string[], overwrites: boolean): void {
  const present = overwrites ? undefined : names.find((name) => entries.has(name));
  if (present !== undefined) throw refused(`setting [${present}] is there already: [--force] overwrites it`);
}

/** It may be of a version that is to come, so that it is kept. */
function warnOfUnknown(names: readonly string[]): void {
  for (const name of names.filter((each) => !isSecureSetting(each))) {
    process.stderr.write(
      `quarry: WARNING: no node of this version starts with [${name}], which is no secure setting\n`,
    );
  }
}

async function readWhole(path: string): Promise<Uint8Array> {
  try {
    const { size } = await stat(path);
    if (size === 0 || size > FILE_BYTES_MAX)
      throw new Error(`[1] to [${FILE_BYTES_MAX}] bytes are expected, not [${size}]`);
    return await readFile(path);
  } catch (error) {
    throw fileError('read', path, error);
  }
}

function missing(name: string): QuarryError {
  return refused(`setting [${name}] does not exist in the keystore`);
}

function refused(reason: string): QuarryError {
  return new QuarryError('illegal_argument_exception', reason);
}

function print(line: string): void {
  process.stdout.write(`${line}\n`);
}
