/** The file of a keystore: only its owner reads it, and a crash leaves the old or the new contents. */
import { open, type FileHandle } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { QuarryError } from '../../base/errors.js';
import { fileError } from '../files.js';
import { writeNodeFile } from '../node-files.js';

const FILE_NAME = 'quarry.keystore';
const OTHERS = 0o077;
const FILE_BYTES_MAX = 8 << 20;
const ROOT = 0;

/** Beside the configuration file. */
export function keystorePath(configFile: string): string {
  return join(dirname(resolve(configFile)), FILE_NAME);
}

export interface KeystoreFile {
  readonly text: string;
}

/** `service`: the file must belong to whoever runs this. `administrator`: root may work on the file of another. */
export type KeystoreReader = 'service' | 'administrator';

/** Undefined where there is none. Throws `security_exception` for a file that others than its owner may read or change. */
export async function readKeystoreFile(path: string, reader: KeystoreReader): Promise<KeystoreFile | undefined> {
  let file: FileHandle;
  try {
    file = await open(path, 'r');
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT') return undefined;
    if (code === 'EACCES')
      throw new QuarryError('security_exception', `keystore [${path}] may not be read by this process`);
    throw fileError('read', path, error);
  }
  try {
    // Of the open file: nobody can put another in its place in between.
    const { uid, mode, size } = await file.stat();
    checkOwner(path, uid, process.geteuid?.() ?? uid, reader);
    if ((mode & OTHERS) !== 0) {
      const found = (mode & 0o777).toString(8).padStart(4, '0');
      const reason = `keystore [${path}] has the mode [${found}]: others than its owner may not have access (chmod 600)`;
      throw new QuarryError('security_exception', reason);
    }
    if (size > FILE_BYTES_MAX) throw new Error(`it has [${size}] bytes, more than [${FILE_BYTES_MAX}]`);
    return { text: await file.readFile('utf8') };
  } catch (error) {
    throw error instanceof QuarryError ? error : fileError('read', path, error);
  } finally {
    await file.close();
  }
}

export function checkOwner(path: string, owner: number, reader: number, kind: KeystoreReader): void {
  if (owner === reader || (kind === 'administrator' && reader === ROOT)) return;
  const reason = `keystore [${path}] is owned by the user with the id [${owner}], and this process runs as [${reader}]`;
  throw new QuarryError('security_exception', reason);
}

/**
 * Puts `text` in the place of `former`, which keeps its owner. Throws `concurrent_modification_exception` when somebody else changed
 * the file since it was read.
 */
export async function writeKeystoreFile(path: string, text: string, former: KeystoreFile | undefined): Promise<void> {
  if (text.length > FILE_BYTES_MAX) {
    throw new QuarryError('illegal_argument_exception', `a keystore has at most [${FILE_BYTES_MAX}] bytes`);
  }
  const beforeReplacing = async (): Promise<void> => {
    const present = await readKeystoreFile(path, 'administrator');
    if (present?.text === former?.text) return;
    const reason = `keystore [${path}] was changed by somebody else meanwhile, and is left as it is`;
    throw new QuarryError('concurrent_modification_exception', reason);
  };
  await writeNodeFile(path, text, { beforeReplacing });
}
