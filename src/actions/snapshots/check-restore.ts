/** What is refused of a restore by what it asks for alone. */
import { QuarryError } from '../../base/errors.js';
import type { FlatSettings } from '../../cluster/settings/flat-settings.js';
import { FIXED_SETTINGS } from '../../cluster/snapshots/fixed-settings.js';

/** Throws `snapshot_restore_exception` for settings that a restore may not change. */
export function checkRestoreSettings(settings: FlatSettings, ignored: readonly string[], what: string): void {
  for (const key of FIXED_SETTINGS) {
    if (settings.has(key)) throw refused(what, `cannot modify setting [${key}] on restore`);
    if (ignored.includes(key)) throw refused(what, `cannot remove setting [${key}] on restore`);
  }
}

function refused(what: string, why: string): QuarryError {
  return new QuarryError('snapshot_restore_exception', `[${what}] ${why}`);
}
