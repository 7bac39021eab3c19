/** `_migration/system_features`: which indices of the system have to be made anew before an upgrade. */
import type { ActionContext } from '../../actions/context.js';
import type { JsonObject } from '../../base/json-value.js';
import { INDEX_FORMAT_VERSION } from '../../cluster/changes/indices/new-index.js';
import { matchesAny } from '../../cluster/names/wildcard.js';
import { answerValue } from '../answer.js';
import { defineEndpoint } from '../endpoint.js';

/**
 * Whose indices the API watches over, and how these are called. Most features keep nothing in indices here; some of these are made by
 * programs that come with the reference, such as its console.
 */
const FEATURES: Readonly<Record<string, readonly string[]>> = {
  async_search: ['.async-search'],
  enrich: ['.enrich-*'],
  fleet: ['.fleet-*'],
  geoip: ['.geoip_databases*'],
  kibana: ['.kibana_*', '.reporting-*', '.apm-agent-configuration*', '.apm-custom-link*'],
  logstash_management: ['.logstash*'],
  machine_learning: ['.ml-*'],
  searchable_snapshots: ['.snapshot-blob-cache*'],
  security: ['.security-*'],
  tasks: ['.tasks*'],
  transform: ['.transform-internal-*', '.data-frame-internal-*'],
  watcher: ['.watches*', '.triggered_watches*'],
};

/** No major version was before this one, so that no index can be of an earlier one. */
const STATUS = 'NO_MIGRATION_NEEDED';

/** OpenSearch has nothing of the kind. */
const common = { body: 'none', pool: 'management', placement: 'any', distribution: 'elasticsearch' } as const;

export const getSystemFeaturesEndpoint = defineEndpoint({
  ...common,
  name: 'migration.get_feature_upgrade_status',
  action: 'cluster:admin/migration/get_system_feature',
  methods: ['GET'],
  paths: ['/_migration/system_features'],
  parameters: {},
  handle: (_, context) =>
    answerValue({
      features: Object.entries(FEATURES).map(([name, patterns]) => featureOf(context, name, patterns)),
      migration_status: STATUS,
    }),
});

function featureOf(context: ActionContext, name: string, patterns: readonly string[]): JsonObject {
  const { indices } = context.clusterState();
  const own = [...indices.values()]
    .filter((index) => matchesAny(patterns, index.name))
    .map((index) => ({ index: index.name, version: String(index.settings.get('index.version.created')) }))
    .sort((left, right) => (left.index < right.index ? -1 : 1));
  const versions = own.map(({ version }) => Number(version));
  return {
    feature_name: name,
    // As the reference: without an index that of a new one.
    minimum_index_version: versions.length === 0 ? INDEX_FORMAT_VERSION : String(Math.min(...versions)),
    migration_status: STATUS,
    indices: own,
  };
}

export const migrateSystemFeaturesEndpoint = defineEndpoint({
  ...common,
  name: 'migration.post_feature_upgrade',
  action: 'cluster:admin/migration/post_system_feature',
  methods: ['POST'],
  paths: ['/_migration/system_features'],
  parameters: {},
  handle: () => answerValue({ accepted: false, reason: 'No system indices require migration' }),
});
