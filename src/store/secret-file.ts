/** A file that holds one secret. */
import { existsSync, readFileSync, statSync } from 'node:fs';
import { QuarryError } from '../base/errors.js';
import { fileError } from './files.js';

const SECRET_BYTES_MAX = 4_096;
/** Of the permissions those of anybody but the owner. */
const OTHERS = 0o077;

/** The text of a file that only its owner may read; undefined when it is not there. */
export function readSecretFile(path: string, bytesMax = SECRET_BYTES_MAX): string | undefined {
  let mode: number;
  let text: string;
  try {
    const { mode: found, size } = statSync(path);
    if (size > bytesMax) throw new QuarryError('settings_exception', `file [${path}] is too long for a secret`);
    mode = found;
    text = readFileSync(path, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error instanceof QuarryError ? error : fileError('read', path, error);
  }
  if ((mode & OTHERS) === 0) return text;
  const reason = `file [${path}] can be read by others than its owner: take their permissions away (chmod 600)`;
  throw new QuarryError('settings_exception', reason);
}

/** Whether somebody put a file there, whoever may read it. */
export function isSecretFileThere(path: string): boolean {
  return existsSync(path);
}
