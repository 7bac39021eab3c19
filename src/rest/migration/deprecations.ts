/** `_migration/deprecations`: what is in use and will not be there for ever. */
import type { JsonObject } from '../../base/json-value.js';
import { ARCHIVED, withArchived } from '../../cluster/settings/archived-settings.js';
import { CLUSTER_SETTINGS } from '../../cluster/settings/cluster-settings.js';
import type { FlatSettings } from '../../cluster/settings/flat-settings.js';
import { INDEX_SETTINGS } from '../../cluster/settings/index-settings.js';
import { IndicesDefaults } from '../../cluster/names/indices-options.js';
import type { ClusterState, IndexMetadata } from '../../cluster/state.js';
import { answerValue } from '../answer.js';
import { defineEndpoint } from '../endpoint.js';
import { namedIndices } from '../indices/index-names.js';

export const deprecationsEndpoint = defineEndpoint({
  name: 'migration.deprecations',
  action: 'cluster:admin/xpack/deprecation/info',
  methods: ['GET'],
  paths: ['/_migration/deprecations', '/{index}/_migration/deprecations'],
  parameters: {},
  body: 'none',
  pool: 'management',
  placement: 'any',
  handle({ parts }, context) {
    const state = context.clusterState();
    const indices = namedIndices(context, parts.index, IndicesDefaults.lenient, {});
    return answerValue({
      cluster_settings: ofCluster(state),
      node_settings: [],
      index_settings: Object.fromEntries(indices.map((index) => [index.name, ofIndex(index)] as const).filter(isSome)),
      data_streams: {},
      templates: Object.fromEntries([...state.legacyTemplates.keys()].map((name) => [name, [legacyTemplate(name)]])),
      ilm_policies: {},
      ml_settings: [],
    });
  },
});

function isSome([, entries]: readonly [string, readonly JsonObject[]]): boolean {
  return entries.length > 0;
}

function ofCluster({ clusterSettings: { persistent, transient } }: ClusterState): readonly JsonObject[] {
  const archived = [...archivedKeys(withArchived(CLUSTER_SETTINGS, new Map([...persistent, ...transient])))];
  return [
    ...(archived.length === 0 ? [] : [archivedSettings(archived, '/_cluster/settings')]),
    ...(transient.size === 0
      ? []
      : [
          {
            level: 'warning',
            message: 'Transient cluster settings are deprecated',
            url: '/_cluster/settings',
            details: `Use persistent settings in the place of these transient ones: [${[...transient.keys()].sort().join(', ')}]`,
            resolve_during_rolling_upgrade: false,
          },
        ]),
  ];
}

function ofIndex({ name, settings }: IndexMetadata): readonly JsonObject[] {
  const archived = archivedKeys(withArchived(INDEX_SETTINGS, settings));
  return archived.length === 0 ? [] : [archivedSettings(archived, `/${name}/_settings`)];
}

function archivedKeys(shown: FlatSettings): readonly string[] {
  return [...shown.keys()].filter((key) => key.startsWith(ARCHIVED)).sort();
}

/** `url` is where they are seen and removed. */
function archivedSettings(keys: readonly string[], url: string): JsonObject {
  return {
    level: 'critical',
    message: 'Settings that this version does not understand hold nowhere',
    url,
    details: `Remove them by setting them to null: [${keys.join(', ')}]`,
    resolve_during_rolling_upgrade: false,
  };
}

function legacyTemplate(name: string): JsonObject {
  return {
    level: 'warning',
    message: 'Legacy index templates are deprecated in favor of composable templates',
    url: `/_template/${name}`,
    details: `Put an index template in the place of the legacy template [${name}]`,
    resolve_during_rolling_upgrade: false,
  };
}
