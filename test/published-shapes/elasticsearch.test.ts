/** Members without which the typed clients of Elasticsearch decode no answer, of what they ask at their start and in monitoring. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { TestNode, type Json } from '../api/node-harness.js';
import { missingMembers, type Members } from './members.js';

const SECTIONS: Members = {
  'indexing.index_failed_due_to_version_conflict': 'number',
  'docs.total_size_in_bytes': 'number',
  'fielddata.global_ordinals.build_time_in_millis': 'number',
  'flush.total_time_excluding_waiting_on_lock_in_millis': 'number',
  'store.reserved_in_bytes': 'number',
  'search.open_contexts': 'number',
  'segments.file_sizes': 'object',
};

const MEMBERS: Readonly<Record<string, Members>> = {
  '/': {
    cluster_uuid: 'text',
    tagline: 'text',
    'version.number': 'text',
    'version.build_flavor': 'text',
    'version.build_snapshot': 'flag',
    'version.minimum_index_compatibility_version': 'text',
    'version.minimum_wire_compatibility_version': 'text',
  },
  '/_cluster/health?level=shards': {
    unassigned_primary_shards: 'number',
    'indices.*.unassigned_primary_shards': 'number',
    'indices.*.shards.*.unassigned_primary_shards': 'number',
  },
  '/_cluster/stats': {
    'indices.analysis.built_in_char_filters': 'list',
    'indices.analysis.built_in_tokenizers': 'list',
    'indices.analysis.built_in_filters': 'list',
    'indices.analysis.synonyms': 'object',
    'indices.docs.total_size_in_bytes': 'number',
    'indices.fielddata.global_ordinals.build_time_in_millis': 'number',
    'indices.search.total': 'number',
    'indices.search.retrievers': 'object',
    'indices.mappings.runtime_field_types[].lines_max': 'number',
    'indices.mappings.runtime_field_types[].lang': 'list',
    'indices.mappings.source_modes.stored': 'number',
    'indices.dense_vector.value_count': 'number',
    'indices.sparse_vector.value_count': 'number',
    'nodes.indexing_pressure.memory.current.all_in_bytes': 'number',
    'nodes.ingest.number_of_pipelines': 'number',
    'nodes.ingest.processor_stats': 'object',
    'nodes.jvm.versions[].vm_name': 'text',
    'nodes.os.pretty_names[].pretty_name': 'text',
    repositories: 'object',
    'snapshots.current_counts.snapshots': 'number',
    'ccs._search.took.p90': 'number',
  },
  '/_nodes': {
    'nodes.*.build_flavor': 'text',
    'nodes.*.component_versions': 'object',
    'nodes.*.index_version': 'number',
    'nodes.*.transport_version': 'number',
    'nodes.*.total_indexing_buffer': 'number',
    'nodes.*.jvm.version': 'text',
    'nodes.*.jvm.vm_name': 'text',
    'nodes.*.jvm.using_bundled_jdk': 'flag',
    'nodes.*.jvm.input_arguments': 'list',
    'nodes.*.jvm.mem.direct_max_in_bytes': 'number',
    'nodes.*.jvm.mem.non_heap_max_in_bytes': 'number',
    'nodes.*.os.version': 'text',
    'nodes.*.process.refresh_interval_in_millis': 'number',
    'nodes.*.settings.cluster.election.strategy': 'text',
    'nodes.*.settings.node.attr': 'object',
    'nodes.*.settings.http.type.default': 'text',
    'nodes.*.settings.xpack.security.enabled': 'text',
    'nodes.*.settings.xpack.security.http.ssl': 'object',
    'nodes.*.settings.transport.type.default': 'text',
    'nodes.*.settings.script.allowed_types': 'text',
  },
  '/_nodes/stats': {
    'nodes.*.http.routes': 'object',
    'nodes.*.os.swap.total_in_bytes': 'number',
    'nodes.*.jvm.gc.collectors.young.collection_count': 'number',
    'nodes.*.jvm.gc.collectors.old.collection_time_in_millis': 'number',
    'nodes.*.jvm.mem.pools.young.peak_used_in_bytes': 'number',
    'nodes.*.jvm.mem.pools.survivor.used_in_bytes': 'number',
    'nodes.*.jvm.mem.pools.old.max_in_bytes': 'number',
    'nodes.*.jvm.buffer_pools.direct.used_in_bytes': 'number',
    'nodes.*.jvm.threads.count': 'number',
    ...below('nodes.*.indices', SECTIONS),
  },
  '/_stats?level=shards': {
    ...below('_all.primaries', SECTIONS),
    ...below('indices.*.total', SECTIONS),
    'indices.*.shards.0[].shard_path.data_path': 'text',
    'indices.*.shards.0[].shard_path.state_path': 'text',
  },
  '/_nodes/usage': { 'nodes.*.rest_actions': 'object', 'nodes.*.aggregations': 'object' },
  '/films/_search_shards': {
    'nodes.*.external_id': 'text',
    'nodes.*.roles': 'list',
    'nodes.*.min_index_version': 'number',
    'nodes.*.max_index_version': 'number',
  },
};

function below(path: string, members: Members): Members {
  return Object.fromEntries(Object.entries(members).map(([name, type]) => [`${path}.${name}`, type]));
}

describe('answers that typed clients decode', () => {
  let node: TestNode;

  beforeAll(async () => {
    node = await TestNode.start();
    await node.put('/films', {
      settings: { number_of_replicas: 0 },
      mappings: {
        runtime: { more: { type: 'long', script: { source: 'emit(1)' } } },
        properties: { t: { type: 'text' } },
      },
    });
    await node.put('/films/_doc/1?refresh=true', { t: 'fox' });
  });

  afterAll(async () => {
    await node.stop();
  });

  it.each(Object.entries(MEMBERS))('%s', async (path, members) => {
    const answer = await node.get(path);
    expect(answer.status).toBe(200);
    expect(missingMembers(answer.json(), members)).toEqual([]);
  });

  it('count the collections of all threads, and more of them as time goes on', async () => {
    const collections = async (): Promise<number> => {
      const { nodes } = (await node.get('/_nodes/stats/jvm')).json();
      const [{ jvm }] = Object.values(nodes) as [Json];
      return jvm.gc.collectors.young.collection_count as number;
    };
    const before = await collections();
    const more = await node.until(async () => {
      await node.post('/films/_search', { query: { match: { t: 'fox' } } });
      const now = await collections();
      return now > before ? now : undefined;
    });
    expect(more).toBeGreaterThan(before);
  });
});
