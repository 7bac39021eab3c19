/** What a node was configured with, as the API prints settings. */
import { isJsonObject, type JsonObject } from '../../../base/json-value.js';
import type { NodeSettings } from '../../../base/node-settings.js';
import type { SettingValue } from '../../../cluster/settings/flat-settings.js';
import { renderSettings } from '../../indices/settings/render-settings.js';

export function renderNodeSettings(settings: NodeSettings, nodeName: string, flat: boolean): JsonObject {
  const values = new Map<string, SettingValue>();
  for (const [key, value] of Object.entries(settings.values)) {
    if (value === undefined || isEmptyList(value)) continue;
    values.set(key, printed(value));
  }
  // Always there in the references: typed clients cannot read settings without them.
  values.set('path.data', [settings.values['path.data']]);
  values.set('path.home', process.cwd());
  for (const [key, value] of formerSecuritySettings(settings)) values.set(key, value);
  values.set('script.allowed_types', allowedScripts(settings.values['script.allowed_types']));
  // Scripts are kept compiled, and as many are compiled as are asked for.
  values.set('script.disable_max_compilations_rate', 'true');
  values.set('cluster.election.strategy', 'raft');
  values.set('http.type.default', 'http');
  values.set('transport.type.default', 'http');
  for (const [name, value] of Object.entries(settings.attributes)) values.set(`node.attr.${name}`, value);
  for (const [key, value] of Object.entries(settings.indexDefaults)) values.set(key, value);
  for (const [name, client] of Object.entries(settings.s3Clients)) {
    for (const [key, value] of Object.entries(client)) {
      if (value !== undefined) values.set(`s3.client.${name}.${key}`, String(value));
    }
  }
  for (const [key, value] of Object.entries(settings.clusterSettings)) values.set(key, value);
  values.set('node.name', nodeName);
  // Tools look for the kind of client that they may use.
  values.set('client.type', 'node');
  const rendered = renderSettings(values, { flat });
  return flat ? rendered : withAttributes(rendered);
}

/** Settings of security by their names of Elasticsearch, whose typed clients cannot read `xpack` without them. */
function formerSecuritySettings({ values }: NodeSettings): readonly (readonly [string, string])[] {
  if (values['compatibility.distribution'] !== 'elasticsearch') return [];
  return [
    ['xpack.security.enabled', String(values['security.enabled'])],
    ['xpack.security.http.ssl.enabled', String(values['http.ssl.enabled'])],
    ['xpack.security.transport.ssl.enabled', String(values['transport.ssl.enabled'])],
  ];
}

/** `node.attr`, also where there are none. */
function withAttributes(rendered: JsonObject): JsonObject {
  const { node } = rendered;
  return isJsonObject(node) ? { ...rendered, node: { attr: {}, ...node } } : rendered;
}

/** Without a list both types are. */
function allowedScripts(types: readonly string[]): string {
  return (types.length === 0 ? ['inline', 'stored'] : types).join(',');
}

function isEmptyList(value: unknown): boolean {
  return Array.isArray(value) && value.length === 0;
}

function printed(value: NonNullable<NodeSettings['values'][keyof NodeSettings['values']]>): SettingValue {
  if (typeof value !== 'object') return String(value);
  if ('first' in value) return value.first === value.last ? String(value.first) : `${value.first}-${value.last}`;
  return value;
}
