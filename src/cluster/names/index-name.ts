/** What indices and aliases may be called. */
import { QuarryError, type ErrorType } from '../../base/errors.js';

const NAME_BYTES_MAX = 255;
const FORBIDDEN_CHARACTERS = [' ', '"', '*', '\\', '<', '|', ',', '>', '/', '?'];

/** Refuses what an index may not be called. */
export function checkIndexName(name: string): void {
  const fault = faultOfName(name, 'index') ?? (name === name.toLowerCase() ? undefined : 'must be lowercase');
  if (fault !== undefined) throw invalidIndexName(name, fault);
}

export function invalidIndexName(name: string, fault: string): QuarryError {
  return new QuarryError('invalid_index_name_exception', `Invalid index name [${name}], ${fault}`, {
    details: { index: name, index_uuid: '_na_' },
  });
}

/** Refuses what an alias may not be called; `hasIndex` tells whether an index has the name. */
export function checkAliasName(name: string, hasIndex: (name: string) => boolean): void {
  const type: ErrorType = 'invalid_alias_name_exception';
  const fault = faultOfName(name, 'alias');
  if (fault !== undefined) throw new QuarryError(type, `Invalid alias name [${name}]: ${fault}`);
  if (hasIndex(name)) {
    const clash = 'an index or data stream exists with the same name as the alias';
    throw new QuarryError(type, `Invalid alias name [${name}]: ${clash}`);
  }
}

function faultOfName(name: string, what: 'index' | 'alias'): string | undefined {
  if (name === '') return 'must not be empty';
  if (FORBIDDEN_CHARACTERS.some((character) => name.includes(character))) {
    return `must not contain the following characters [${FORBIDDEN_CHARACTERS.join(', ')}]`;
  }
  if (name.includes('#')) return "must not contain '#'";
  if (name.includes(':')) return "must not contain ':'";
  if (/^[_+-]/.test(name)) return "must not start with '_', '-', or '+'";
  const bytes = Buffer.byteLength(name);
  if (bytes > NAME_BYTES_MAX) return `${what} name is too long, (${bytes} > ${NAME_BYTES_MAX})`;
  if (name === '.' || name === '..') return "must not be '.' or '..'";
  return undefined;
}
