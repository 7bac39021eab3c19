/**
 * The bytes of a keystore: three lines of text.
 *
 * 1. `sha256:` and the checksum of the two lines below, which tells damage from a wrong password.
 * 2. The header as JSON: version of the format, how the key is made of the password, the nonce. It is authenticated with the contents.
 * 3. The contents, sealed by AES-256-GCM, as base64; unsealed they are an object of values in base64 by name.
 *
 * Each time that it is written, salt and nonce are new.
 */
import { createCipheriv, createDecipheriv, createHash, randomBytes, scrypt } from 'node:crypto';
import { QuarryError } from '../../base/errors.js';
import { isJsonObject } from '../../base/json-value.js';
import { SECURE_NAME } from '../../base/secure-settings.js';

export type KeystoreEntries = ReadonlyMap<string, Uint8Array>;

export interface KeystoreContents {
  readonly hasPassword: boolean;
  readonly entries: KeystoreEntries;
  /** Written in another format, or with a weaker key, than it would be now. */
  readonly isOutdated: boolean;
}

interface Scrypt {
  readonly cost: number;
  readonly blockSize: number;
  readonly parallelization: number;
}

interface Header extends Scrypt {
  readonly format: number;
  readonly hasPassword: boolean;
  readonly salt: string;
  readonly nonce: string;
}

const FORMAT = 1;
const KEY_BYTES = 32;
const NONCE_BYTES = 12;
const TAG_BYTES = 16;
const SALT_BYTES = 32;
/** 128 MiB and about 0.3 s for each guess of a password. */
const WITH_PASSWORD: Scrypt = { cost: 1 << 17, blockSize: 8, parallelization: 1 };
/** Nothing is to be guessed: the owner of the file is what protects it. */
const WITHOUT_PASSWORD: Scrypt = { cost: 1 << 12, blockSize: 8, parallelization: 1 };
/** What a header may ask for, so that no file costs a node its memory. */
const COST_MAX = 1 << 20;
const BLOCK_SIZE_MAX = 16;
const PARALLELIZATION_MAX = 16;
const SCRYPT_BYTES_MAX = 1 << 30;

export const PASSWORD_LENGTH_MAX = 4_096;
const ENTRIES_MAX = 10_000;

/** Throws `security_exception` when the password is wrong or somebody changed the contents, `corrupt_index_exception` for damage. */
export async function unsealKeystore(text: string, password: string, path: string): Promise<KeystoreContents> {
  const { header, headerLine, sealed } = readLines(text, path);
  if (header.hasPassword !== (password !== '')) throw wrongPassword();
  const key = await keyOf(password, header);
  const nonce = Buffer.from(header.nonce, 'base64');
  const decipher = createDecipheriv('aes-256-gcm', key, nonce, { authTagLength: TAG_BYTES });
  decipher.setAAD(Buffer.from(headerLine, 'utf8'));
  decipher.setAuthTag(sealed.subarray(sealed.length - TAG_BYTES));
  let plain: Buffer;
  try {
    plain = Buffer.concat([decipher.update(sealed.subarray(0, sealed.length - TAG_BYTES)), decipher.final()]);
  } catch {
    if (header.hasPassword) throw wrongPassword();
    throw new QuarryError('security_exception', `keystore [${path}] has been corrupted or tampered with`);
  }
  const { cost, blockSize, parallelization } = parametersFor(password);
  const isOutdated =
    header.cost !== cost || header.blockSize !== blockSize || header.parallelization !== parallelization;
  return { hasPassword: header.hasPassword, entries: readEntries(plain.toString('utf8'), path), isOutdated };
}

/** Whether a password is needed, which the file says openly. */
export function needsPassword(text: string, path: string): boolean {
  return readLines(text, path).header.hasPassword;
}

export async function sealKeystore(entries: KeystoreEntries, password: string): Promise<string> {
  const header: Header = {
    format: FORMAT,
    hasPassword: password !== '',
    ...parametersFor(password),
    salt: randomBytes(SALT_BYTES).toString('base64'),
    nonce: randomBytes(NONCE_BYTES).toString('base64'),
  };
  const headerLine = JSON.stringify(header);
  const key = await keyOf(password, header);
  const nonce = Buffer.from(header.nonce, 'base64');
  const cipher = createCipheriv('aes-256-gcm', key, nonce, { authTagLength: TAG_BYTES });
  cipher.setAAD(Buffer.from(headerLine, 'utf8'));
  const plain = JSON.stringify(Object.fromEntries([...entries].sort().map(([name, value]) => [name, base64(value)])));
  const sealed = Buffer.concat([cipher.update(plain, 'utf8'), cipher.final(), cipher.getAuthTag()]);
  const body = `${headerLine}\n${base64(sealed)}\n`;
  return `${checksumOf(body)}\n${body}`;
}

function parametersFor(password: string): Scrypt {
  return password === '' ? WITHOUT_PASSWORD : WITH_PASSWORD;
}

function keyOf(password: string, { salt, cost, blockSize, parallelization }: Header): Promise<Buffer> {
  const options = { cost, blockSize, parallelization, maxmem: SCRYPT_BYTES_MAX };
  // Alike however the accents were typed.
  const secret = Buffer.from(password.normalize('NFC'), 'utf8');
  return new Promise((resolve, reject) => {
    scrypt(secret, Buffer.from(salt, 'base64'), KEY_BYTES, options, (error, key) => {
      secret.fill(0);
      if (error === null) resolve(key);
      else reject(error);
    });
  });
}

function readLines(text: string, path: string): { header: Header; headerLine: string; sealed: Buffer } {
  const [checksum = '', headerLine = '', sealedLine = '', end, ...more] = text.split('\n');
  const isWhole = end === '' && more.length === 0 && checksum === checksumOf(`${headerLine}\n${sealedLine}\n`);
  if (!isWhole) throw damaged(path, 'does not match its checksum');
  const sealed = Buffer.from(sealedLine, 'base64');
  if (sealed.length < TAG_BYTES) throw damaged(path, 'has no contents');
  return { header: readHeader(headerLine, path), headerLine, sealed };
}

function readHeader(line: string, path: string): Header {
  let header: unknown;
  try {
    header = JSON.parse(line);
  } catch {
    throw damaged(path, 'has no header');
  }
  if (!isJsonObject(header)) throw damaged(path, 'has no header');
  const { format, hasPassword, cost, blockSize, parallelization, salt, nonce } = header;
  if (format !== FORMAT) {
    const reason = `keystore [${path}] has the format [${JSON.stringify(format)}], and this version reads [${FORMAT}]`;
    throw new QuarryError('illegal_state_exception', reason);
  }
  const isSound =
    typeof hasPassword === 'boolean' &&
    isWithin(cost, COST_MAX) &&
    isWithin(blockSize, BLOCK_SIZE_MAX) &&
    isWithin(parallelization, PARALLELIZATION_MAX) &&
    128 * cost * blockSize <= SCRYPT_BYTES_MAX / 2 &&
    hasLength(salt, SALT_BYTES) &&
    hasLength(nonce, NONCE_BYTES);
  if (!isSound) throw damaged(path, 'has an unsound header');
  return { format: FORMAT, hasPassword, cost, blockSize, parallelization, salt, nonce };
}

/** A power of two, which scrypt asks for of its cost and others are too. */
function isWithin(value: unknown, most: number): value is number {
  return typeof value === 'number' && value >= 1 && value <= most && Number.isInteger(Math.log2(value));
}

function hasLength(value: unknown, bytes: number): value is string {
  return typeof value === 'string' && Buffer.from(value, 'base64').length === bytes;
}

function readEntries(json: string, path: string): KeystoreEntries {
  const parsed: unknown = JSON.parse(json);
  const entries = isJsonObject(parsed) ? Object.entries(parsed) : [];
  const values = entries.flatMap(([name, value]) =>
    SECURE_NAME.test(name) && typeof value === 'string' ? [[name, Buffer.from(value, 'base64')] as const] : [],
  );
  const isSound = isJsonObject(parsed) && values.length === entries.length && entries.length <= ENTRIES_MAX;
  if (!isSound) throw damaged(path, 'holds something else than settings');
  return new Map(values);
}

function wrongPassword(): QuarryError {
  return new QuarryError('security_exception', 'Provided keystore password was incorrect');
}

function damaged(path: string, how: string): QuarryError {
  return new QuarryError('corrupt_index_exception', `keystore [${path}] ${how}`);
}

function checksumOf(body: string): string {
  return `sha256:${createHash('sha256').update(body, 'utf8').digest('hex')}`;
}

function base64(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString('base64');
}
