/** What a node was configured with, as the API prints settings. */
import type { JsonObject } from '../../base/json-value.js';
import type { NodeSettings } from '../../base/node-settings.js';
import type { SettingValue } from '../../cluster/settings/flat-settings.js';
import { renderSettings } from '../indices/render-settings.js';

export function renderNodeSettings(settings: NodeSettings, nodeName: string, flat: boolean): JsonObject {
  const values = new Map<string, SettingValue>();
  for (const [key, value] of Object.entries(settings.values)) {
    if (value !== undefined) values.set(key, printed(value));
  }
  for (const [name, value] of Object.entries(settings.attributes)) values.set(`node.attr.${name}`, value);
  for (const [key, value] of Object.entries(settings.indexDefaults)) values.set(key, value);
  for (const [key, value] of Object.entries(settings.clusterSettings)) values.set(key, value);
  values.set('node.name', nodeName);
  // Tools look for the kind of client that they may use.
  values.set('client.type', 'node');
  return renderSettings(values, { flat });
}

function printed(value: NonNullable<NodeSettings['values'][keyof NodeSettings['values']]>): SettingValue {
  if (typeof value !== 'object') return String(value);
  if ('first' in value) return value.first === value.last ? String(value.first) : `${value.first}-${value.last}`;
  return value;
}
