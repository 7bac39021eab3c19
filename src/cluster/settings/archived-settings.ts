/**
 * Settings that the state holds and this version does not understand: another version stored them. They are shown as `archived.<key>`,
 * hold nowhere, and stay until they are removed under that name. Nothing is moved in the state: a newer node understands
 * its settings again.
 */
import { CLUSTER_SETTINGS } from './cluster-settings.js';
import type { FlatSettings, SettingValue } from './flat-settings.js';
import { checkSetting } from './registry.js';

export const ARCHIVED = 'archived.';

/** Unknown keys, and values that the setting can no longer have. */
export function isUnderstood(key: string, value: SettingValue): boolean {
  try {
    checkSetting(CLUSTER_SETTINGS, key, value);
    return true;
  } catch {
    return false;
  }
}

/** The same object where everything is understood. */
export function understood(settings: FlatSettings): FlatSettings {
  const known = [...settings].filter(([key, value]) => isUnderstood(key, value));
  return known.length === settings.size ? settings : new Map(known);
}

/** As the API shows them. */
export function withArchived(settings: FlatSettings): FlatSettings {
  return new Map([...settings].map(([key, value]) => [isUnderstood(key, value) ? key : `${ARCHIVED}${key}`, value]));
}

/** The keys of the state that go by the names that `matches` is asked for, `archived.` before those not understood. */
export function keysNamed(settings: FlatSettings, matches: (name: string) => boolean): readonly string[] {
  return [...settings].flatMap(([key, value]) =>
    matches(isUnderstood(key, value) ? key : `${ARCHIVED}${key}`) ? [key] : [],
  );
}
