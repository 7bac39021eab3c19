/**
 * Settings that the state holds and this version does not understand: another version stored them. They are shown as `archived.<key>`,
 * hold nowhere, and stay until they are removed under that name. Nothing is moved in the state: a newer node understands
 * its settings again.
 */
import type { FlatSettings, SettingValue } from './flat-settings.js';
import { checkSetting, type SettingRegistry } from './registry.js';

export const ARCHIVED = 'archived.';

/** Unknown keys, and values that the setting can no longer have. */
function isUnderstood(registry: SettingRegistry, key: string, value: SettingValue): boolean {
  try {
    checkSetting(registry, key, value);
    return true;
  } catch {
    return false;
  }
}

function shownName(registry: SettingRegistry, key: string, value: SettingValue): string {
  return isUnderstood(registry, key, value) ? key : `${ARCHIVED}${key}`;
}

/** The same object where everything is understood. */
export function understood(registry: SettingRegistry, settings: FlatSettings): FlatSettings {
  const known = [...settings].filter(([key, value]) => isUnderstood(registry, key, value));
  return known.length === settings.size ? settings : new Map(known);
}

/** As the API shows them. */
export function withArchived(registry: SettingRegistry, settings: FlatSettings): FlatSettings {
  return new Map([...settings].map(([key, value]) => [shownName(registry, key, value), value]));
}

/** The keys of the state that go by the names that `matches` is asked for, `archived.` before those not understood. */
export function keysNamed(
  registry: SettingRegistry,
  settings: FlatSettings,
  matches: (name: string) => boolean,
): readonly string[] {
  return [...settings].flatMap(([key, value]) => (matches(shownName(registry, key, value)) ? [key] : []));
}
