/** What users may be called, and what hashes of their passwords must be like. */
import { isPasswordHash } from '../../actions/security/password-hasher.js';
import { illegalArgument } from '../../base/errors.js';

const NAME_LENGTH_MAX = 507;
/** Basic Latin without control characters. */
const PRINTABLE = /^[\x20-\x7e]+$/;

export function nameFaults(kind: string, name: string): readonly string[] {
  const isGood = name.length <= NAME_LENGTH_MAX && PRINTABLE.test(name) && name === name.trim();
  if (isGood) return [];
  return [
    `${kind} names must be at least 1 and no more than ${NAME_LENGTH_MAX} characters. They can contain alphanumeric characters ` +
      '(a-z, A-Z, 0-9), spaces, punctuation, and printable symbols in the Basic Latin (ASCII) block. Leading or ' +
      'trailing whitespace is not allowed.',
  ];
}

/** Refuses what is no hash of bcrypt, and both a password and a hash. */
export function checkPasswordHash(password: string | undefined, hash: string | undefined): void {
  if (hash === undefined) return;
  if (password !== undefined) throw illegalArgument('[password] and [password_hash] cannot both be given');
  if (!isPasswordHash(hash))
    throw illegalArgument('[password_hash] is not a hash of [bcrypt], the supported algorithm, with a cost of 4 to 14');
}
