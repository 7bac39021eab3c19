/** What of the cluster an endpoint touches before it asks anybody else: a node that knows no master may have to refuse it. */
import type { BlockLevel } from '../cluster/blocks.js';

/** Writes wait for a master within their `timeout`, and changes of the state within `master_timeout`: they are not here. */
const LEVELS: Readonly<Record<string, BlockLevel>> = {
  count: 'read',
  get: 'read',
  get_source: 'read',
  mget: 'read',
  msearch: 'read',
  msearch_template: 'read',
  rank_eval: 'read',
  search: 'read',
  search_template: 'read',
  terms_enum: 'read',
  'cat.count': 'read',
  'cat.aliases': 'metadata_read',
  'cat.indices': 'metadata_read',
  'cat.recovery': 'metadata_read',
  'cat.segment_replication': 'metadata_read',
  'cat.segments': 'metadata_read',
  'cat.shards': 'metadata_read',
  'cat.templates': 'metadata_read',
  'cat.component_templates': 'metadata_read',
  'cluster.get_component_template': 'metadata_read',
  'ingest.get_pipeline': 'metadata_read',
  'ingest.simulate': 'metadata_read',
  'indices.disk_usage': 'read',
  'indices.analyze': 'metadata_read',
  'indices.get': 'metadata_read',
  'indices.get_alias': 'metadata_read',
  'indices.get_data_stream': 'metadata_read',
  'indices.get_field_mapping': 'metadata_read',
  'indices.get_index_template': 'metadata_read',
  'indices.get_mapping': 'metadata_read',
  'indices.get_settings': 'metadata_read',
  'indices.get_template': 'metadata_read',
  'indices.recovery': 'metadata_read',
  'indices.resolve_index': 'metadata_read',
  'indices.segments': 'metadata_read',
  'indices.stats': 'metadata_read',
  'indices.flush': 'metadata_write',
  'indices.forcemerge': 'metadata_write',
  'indices.refresh': 'metadata_write',
};

export function blockLevelOf(endpoint: string): BlockLevel | undefined {
  return LEVELS[endpoint];
}
