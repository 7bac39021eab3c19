/** What passwords must be like, wherever one is given. */
import { PASSWORD_BYTES_MAX } from './password-hasher.js';

const PASSWORD_LENGTH_MIN = 6;

/** Sentences; none for a good password. */
export function passwordFaults(password: string | undefined): readonly string[] {
  if (password === undefined) return [];
  if (password.length < PASSWORD_LENGTH_MIN)
    return [`passwords must be at least [${PASSWORD_LENGTH_MIN}] characters long`];
  if (Buffer.byteLength(password) > PASSWORD_BYTES_MAX) {
    return [`passwords must be at most [${PASSWORD_BYTES_MAX}] bytes long in UTF-8`];
  }
  return password.includes('\0') ? ['passwords must not have the character of code 0'] : [];
}
