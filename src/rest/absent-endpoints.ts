/**
 * Families of endpoints that Elasticsearch or OpenSearch have and Quarry has not: they are refused as such, and not as indices of
 * a strange name. A family that is built loses its row.
 */
import type { HttpMethod } from './endpoint.js';

export interface AbsentFamily {
  /** Only this method; undefined: all. */
  readonly method: HttpMethod | undefined;
  /** The first segments of a path; `*` is any one that an index or a task could be called. */
  readonly segments: readonly string[];
  /** What it is, in words of its users. */
  readonly title: string;
}

const ELASTICSEARCH: Readonly<Record<string, readonly string[]>> = {
  'machine learning': ['_ml', '_cat/ml'],
  inference: ['_inference'],
  SQL: ['_sql'],
  EQL: ['_eql', '*/_eql'],
  'ES|QL': ['_query', '_esql'],
  Watcher: ['_watcher'],
  'cross-cluster replication': ['_ccr', '*/_ccr'],
  rollups: ['_rollup', '*/_rollup', '*/_rollup_search'],
  downsampling: ['*/_downsample'],
  transforms: ['_transform', '_cat/transforms'],
  'graph exploration': ['*/_graph'],
  // Before the family that they are of.
  'changes of many roles at once': ['DELETE _security/role', 'POST _security/role'],
  security: ['_security'],
  certificates: ['_ssl'],
  'snapshot lifecycle': ['_slm'],
  'searchable snapshots': ['_searchable_snapshots', '*/_searchable_snapshots', '_snapshot/*/*/_mount'],
  'analysis of snapshot repositories': ['_snapshot/*/_analyze', '_snapshot/*/_verify_integrity'],
  enrichment: ['_enrich'],
  'Logstash pipelines': ['_logstash'],
  autoscaling: ['_autoscaling'],
  'search applications': ['_application'],
  connectors: ['_connector'],
  Fleet: ['_fleet', '*/_fleet'],
  'text structure': ['_text_structure'],
  'query rules': ['_query_rules'],
  'synonym sets': ['_synonyms'],
  'vector tiles': ['*/_mvt'],
  'field usage statistics': ['*/_field_usage_stats'],
  'the former kNN search, which is [knn] of a search': ['*/_knn_search'],
  'reloading of analyzers': ['*/_reload_search_analyzers'],
  'REST capabilities': ['_capabilities'],
  'cluster info': ['_info'],
  'simulation of bulk requests': ['_ingest/_simulate', '_ingest/*/_simulate'],
  'GeoIP databases': ['_ingest/geoip', '_ingest/ip_location'],
  'reindexing of system indices and old data streams': ['_migration'],
  'management of reindex jobs, which are tasks': ['GET _reindex', '_reindex/*/_cancel'],
  'migration to data tiers': ['_ilm/migrate_to_data_tiers'],
  'change of licences': ['PUT _license', 'POST _license', 'DELETE _license'],
  'reset of features': ['_features'],
  monitoring: ['_monitoring'],
  'X-Pack': ['_xpack'],
  profiling: ['_profiling'],
  streams: ['_streams'],
  'internal endpoints': ['_internal', '_metering', '_project'],
  licences: ['_license', '_licence'],
  'the health report': ['_health_report'],
};

const OPENSEARCH: Readonly<Record<string, readonly string[]>> = {
  'machine learning': ['_plugins/_ml'],
  'SQL and PPL': ['_plugins/_sql', '_plugins/_ppl', '_plugins/_query'],
  security: ['_plugins/_security'],
  'index state management': ['_plugins/_ism'],
  'snapshot management': ['_plugins/_sm'],
  'the kNN plugin': ['_plugins/_knn'],
  alerting: ['_plugins/_alerting'],
  'anomaly detection': ['_plugins/_anomaly_detection'],
  'cross-cluster replication': ['_plugins/_replication'],
  rollups: ['_plugins/_rollup'],
  transforms: ['_plugins/_transform'],
  'the asynchronous search plugin, whose twin is [_async_search]': ['_plugins/_asynchronous_search'],
  'its plugins': ['_plugins', '_opendistro'],
  'search pipelines': ['_search/pipeline'],
  'bulk requests as streams': ['_bulk/stream', '*/_bulk/stream'],
  'segments of points in time': ['_cat/pit_segments'],
  'decommissioning by awareness': ['_cluster/decommission'],
  'weighted routing': ['_cluster/routing'],
  'upgrade of segments': ['_upgrade', '*/_upgrade'],
  'the remote store': ['_remotestore'],
  'workload management': ['_wlm', '_rules', '_list/wlm_stats'],
  'query insights': ['_insights'],
  'the file cache': ['_filecache'],
  scaling: ['*/_scale'],
  'ingestion from streams': ['*/ingestion/_pause', '*/ingestion/_resume', '*/ingestion/_state'],
};

/** All of them; docs/compatibility.md has a row for each. */
export const ABSENT_FAMILIES: readonly AbsentFamily[] = [
  ...rows(ELASTICSEARCH, 'Elasticsearch'),
  ...rows(OPENSEARCH, 'OpenSearch'),
];

/** By the first of their segments that is a name. */
const byName = new Map<string, AbsentFamily[]>();
for (const family of ABSENT_FAMILIES) {
  const name = family.segments.find((segment) => segment !== '*') ?? '';
  byName.set(name, [...(byName.get(name) ?? []), family]);
}

/**
 * The family that a request belongs to, where no endpoint of Quarry was meant.
 *
 * @param segments of the path as sent
 * @param routes endpoints that the request, or one of another method, leads to
 * @param isFound they are those of this method
 */
export function absentFamily(
  method: string,
  segments: readonly string[],
  routes: readonly { readonly path: string }[],
  isFound: boolean,
): AbsentFamily | undefined {
  const family = firstFamily(method, segments);
  if (family === undefined) return undefined;
  const isMeant = routes.some(({ path }) => namesFamily(path, family.segments));
  return isMeant && (isFound || family.method === undefined) ? undefined : family;
}

/** Of those that the request is of the one that comes first in the list. */
function firstFamily(method: string, segments: readonly string[]): AbsentFamily | undefined {
  let first: AbsentFamily | undefined;
  for (const segment of segments) {
    for (const family of byName.get(segment) ?? []) {
      const isEarlier = first === undefined || ABSENT_FAMILIES.indexOf(family) < ABSENT_FAMILIES.indexOf(first);
      if (isEarlier && isOf(family, method, segments)) first = family;
    }
  }
  return first;
}

function isOf(family: AbsentFamily, method: string, segments: readonly string[]): boolean {
  if (family.method !== undefined && family.method !== method) return false;
  return family.segments.every((name, at) => (name === '*' ? isName(segments[at]) : name === segments[at]));
}

/** `/_alias/_eql` is not of a family below an index. */
function isName(segment: string | undefined): boolean {
  return segment !== undefined && (segment === '_all' || !segment.startsWith('_'));
}

/** Whether the path of an endpoint says what makes the family, and does not merely take any text there. */
function namesFamily(route: string, family: readonly string[]): boolean {
  const segments = route.split('/').filter((segment) => segment !== '');
  return family.every((name, at) => name === '*' || name === segments[at]);
}

function rows(families: Readonly<Record<string, readonly string[]>>, product: string): readonly AbsentFamily[] {
  return Object.entries(families).flatMap(([what, places]) =>
    places.map((place) => {
      const [path = '', method] = place.split(' ').reverse();
      return { method: method as HttpMethod | undefined, segments: path.split('/'), title: `${what} of ${product}` };
    }),
  );
}
