/** Settings that are stored and hold no more, or have no effect. */
import { ARCHIVED, withArchived } from '../settings/archived-settings.js';
import type { FlatSettings } from '../settings/flat-settings.js';
import type { SettingRegistry } from '../settings/registry.js';
import { critical, listed, warning, type Deprecation } from './entry.js';

/** Of one holder of settings, which are seen and removed at `url`. */
export function settingsDeprecations(
  registry: SettingRegistry,
  settings: FlatSettings,
  url: string,
): readonly Deprecation[] {
  const found: Deprecation[] = [];
  const archived = [...withArchived(registry, settings).keys()].filter((key) => key.startsWith(ARCHIVED));
  if (archived.length > 0) {
    const message = 'Settings that this version does not understand hold nowhere';
    found.push(critical(message, url, `Remove them by setting them to null: ${listed(archived)}`));
  }
  const ignored = [...settings.keys()].filter((key) => registry.settings.get(key)?.offer === 'ignored');
  if (ignored.length > 0) {
    const message = 'Settings without an effect will be refused by a later version';
    found.push(warning(message, url, `Remove them by setting them to null: ${listed(ignored)}`));
  }
  return found;
}
