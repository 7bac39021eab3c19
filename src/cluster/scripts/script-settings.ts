/** `script.*` settings of node and cluster as the kernels take them. */
import type { NodeSettings } from '../../base/node-settings.js';
import type { FlatSettings } from '../settings/flat-settings.js';
import { ClusterSettingDefinitions } from '../settings/cluster-settings.js';
import { valueOf } from '../settings/registry.js';

export interface ScriptSettings {
  readonly max_size_in_bytes: number;
  readonly cache_max_size: number;
  readonly cache_expire_ms: number;
  readonly max_compilations: readonly [number, number] | null;
  readonly regex_limit_factor: number | null;
  readonly allowed_contexts: readonly string[] | null;
  readonly allows_inline: boolean;
  readonly allows_stored: boolean;
}

export function scriptSettings(node: NodeSettings['values'], cluster: FlatSettings): ScriptSettings {
  const types = node['script.allowed_types'];
  const contexts = node['script.allowed_contexts'];
  const allows = (type: string): boolean => types.length === 0 || types.includes(type) || types.includes('both');
  return {
    max_size_in_bytes: valueOf(ClusterSettingDefinitions.scriptMaxSize, cluster) ?? 65_535,
    cache_max_size: valueOf(ClusterSettingDefinitions.scriptCacheSize, cluster) ?? 3_000,
    cache_expire_ms: valueOf(ClusterSettingDefinitions.scriptCacheExpire, cluster) ?? 0,
    max_compilations: valueOf(ClusterSettingDefinitions.scriptCompilationRate, cluster)?.rate ?? null,
    regex_limit_factor: regexFactor(node),
    allowed_contexts: contexts.length === 0 ? null : contexts.filter((context) => context !== 'none'),
    allows_inline: allows('inline'),
    allows_stored: allows('stored'),
  };
}

function regexFactor(node: NodeSettings['values']): number | null {
  switch (node['script.painless.regex.enabled']) {
    case 'true':
      return null;
    case 'false':
      return 0;
    default:
      return node['script.painless.regex.limit-factor'];
  }
}
