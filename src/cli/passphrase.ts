/** The password of the keystore, where nobody is there to type it. */
import { QuarryError } from '../base/errors.js';
import { readTextIfPresent } from '../store/files.js';

export const PASSPHRASE_FILE = 'QUARRY_KEYSTORE_PASSPHRASE_FILE';
export const PASSPHRASE = 'QUARRY_KEYSTORE_PASSPHRASE';

/**
 * The password of the keystore as the environment gives it: by a file, or as it is. Undefined where it does not. The variable is
 * taken away: neither threads nor programs that this process starts inherit it.
 */
export function passwordOfEnvironment(environment: NodeJS.ProcessEnv = process.env): string | undefined {
  const { [PASSPHRASE_FILE]: file, [PASSPHRASE]: password } = environment;
  Reflect.deleteProperty(environment, PASSPHRASE);
  if (file === undefined || file === '') return password;
  if (password !== undefined) {
    throw new QuarryError('settings_exception', `[${PASSPHRASE_FILE}] and [${PASSPHRASE}] cannot be given together`);
  }
  const text = readTextIfPresent(file);
  if (text === undefined) {
    throw new QuarryError('settings_exception', `[${PASSPHRASE_FILE}] names the file [${file}], which does not exist`);
  }
  return text.replace(/\r?\n$/, '');
}
