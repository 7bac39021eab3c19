/** Settings as the API prints them: nested or flat, with or without defaults. */
import type { JsonObject } from '../../../base/json-value.js';
import { withArchived } from '../../../cluster/settings/archived-settings.js';
import { renderFlat, renderNested, type FlatSettings } from '../../../cluster/settings/flat-settings.js';
import { INDEX_SETTINGS } from '../../../cluster/settings/index-settings.js';
import { defaultsBeside, type SettingRegistry } from '../../../cluster/settings/registry.js';
import type { IndexMetadata } from '../../../cluster/state.js';
import { FORMAT_NAME } from '../format-name.js';

export interface SettingsLayout {
  readonly flat: boolean;
  readonly includeDefaults: boolean;
  readonly human: boolean;
  /** Which keys to print; all when absent. */
  readonly wanted?: (key: string) => boolean;
}

/** `settings`, and `defaults` when asked for. */
export function renderIndexSettings(index: IndexMetadata, layout: SettingsLayout): JsonObject {
  const stored = withArchived(INDEX_SETTINGS, index.settings);
  const settings = layout.human ? withReadableValues(index, stored) : stored;
  return {
    settings: renderSettings(settings, layout),
    ...(layout.includeDefaults ? { defaults: renderDefaults(INDEX_SETTINGS, index.settings, layout) } : {}),
  };
}

export function renderSettings(settings: FlatSettings, layout: Pick<SettingsLayout, 'flat' | 'wanted'>): JsonObject {
  const { wanted } = layout;
  const chosen = wanted === undefined ? settings : new Map([...settings].filter(([key]) => wanted(key)));
  return layout.flat ? renderFlat(chosen) : renderNested(chosen);
}

export function renderDefaults(
  registry: SettingRegistry,
  settings: FlatSettings,
  layout: Pick<SettingsLayout, 'flat' | 'wanted'>,
): JsonObject {
  return renderSettings(defaultsBeside(registry, settings), layout);
}

function withReadableValues(index: IndexMetadata, settings: FlatSettings): FlatSettings {
  return new Map([
    ...settings,
    ['index.creation_date_string', new Date(index.creationDateMs).toISOString()] as const,
    ['index.version.created_string', FORMAT_NAME] as const,
  ]);
}
