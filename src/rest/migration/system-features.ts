/** `_migration/system_features`: which indices of the system have to be made anew before an upgrade. */
import { answerValue } from '../answer.js';
import { defineEndpoint } from '../endpoint.js';

/** Whose indices the API watches over. */
const FEATURES = [
  ...['async_search', 'enrich', 'fleet', 'geoip', 'kibana', 'logstash_management', 'machine_learning'],
  ...['searchable_snapshots', 'security', 'tasks', 'transform', 'watcher'],
];

/** No major version was before this one, so that no index can be of an earlier one. */
const STATUS = 'NO_MIGRATION_NEEDED';

export const getSystemFeaturesEndpoint = defineEndpoint({
  name: 'migration.get_feature_upgrade_status',
  action: 'cluster:admin/migration/get_system_feature',
  methods: ['GET'],
  paths: ['/_migration/system_features'],
  parameters: {},
  body: 'none',
  pool: 'management',
  placement: 'any',
  handle: () =>
    answerValue({
      features: FEATURES.map((name) => ({ feature_name: name, migration_status: STATUS })),
      migration_status: STATUS,
    }),
});

export const migrateSystemFeaturesEndpoint = defineEndpoint({
  name: 'migration.post_feature_upgrade',
  action: 'cluster:admin/migration/post_system_feature',
  methods: ['POST'],
  paths: ['/_migration/system_features'],
  parameters: {},
  body: 'none',
  pool: 'management',
  placement: 'any',
  handle: () => answerValue({ accepted: false, reason: 'No system indices require migration' }),
});
