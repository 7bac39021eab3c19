/** What repositories and snapshots may be called. */
import { QuarryError } from '../../base/errors.js';

/** Of the name of a file, in bytes: names of snapshots and repositories become parts of those. */
const NAME_BYTES_MAX = 255;
const FORBIDDEN = /[\s,#\\/*?"<>|\u0000-\u001f\u007f]/;

/** Words of paths in the place of a repository. */
const TAKEN: ReadonlySet<string> = new Set(['_all', '_status']);

/** Throws `invalid_snapshot_name_exception`. */
export function checkSnapshotName(repository: string, name: string): void {
  const fault = snapshotFault(name) ?? nameFault(name);
  if (fault !== undefined) {
    const reason = `[${repository}:${name}] Invalid snapshot name [${name}], ${fault}`;
    throw new QuarryError('invalid_snapshot_name_exception', reason);
  }
}

/** Throws `repository_exception`, as a mistake of whoever asked. */
export function checkRepositoryName(name: string): void {
  const fault = TAKEN.has(name) ? 'which stands for something else in paths' : nameFault(name);
  if (fault === undefined) return;
  throw new QuarryError('repository_exception', `[${name}] Invalid repository name [${name}], ${fault}`, {
    status: 400,
  });
}

function snapshotFault(name: string): string | undefined {
  if (name.startsWith('_')) return "must not start with '_'";
  return name === name.toLowerCase() ? undefined : 'must be lowercase';
}

/** Of both. */
function nameFault(name: string): string | undefined {
  if (name === '') return 'cannot be empty';
  if (name.startsWith('.') && /^\.+$/.test(name)) return "must not be '.' or '..'";
  const forbidden = FORBIDDEN.exec(name)?.[0];
  if (forbidden !== undefined) return `must not contain [${shownCharacter(forbidden)}]`;
  return Buffer.byteLength(name) > NAME_BYTES_MAX ? `must not be longer than [${NAME_BYTES_MAX}] bytes` : undefined;
}

function shownCharacter(character: string): string {
  return character === ' ' ? character : JSON.stringify(character).slice(1, -1);
}
