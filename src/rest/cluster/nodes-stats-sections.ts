/** Sections of a node's statistics, but for those of its indices. */
import type { TransportTraffic } from '../../actions/front-figures.js';
import type { NodeFacts } from '../../actions/nodes/node-facts.js';
import type { BreakerFigures } from '../../base/body-buffers.js';
import { isJsonObject, type JsonObject } from '../../base/json-value.js';
import { formatBytes } from '../../base/units.js';
import type { IngestFigures } from '../../ingest/statistics.js';
import { renderIngest } from './render-ingest.js';
import { allPools } from './pools.js';

export const NODE_METRICS = [
  ...([
    'indices',
    'os',
    'process',
    'jvm',
    'thread_pool',
    'fs',
    'transport',
    'http',
    'breaker',
    'ingest',
    'script',
    'script_cache',
    'discovery',
    'adaptive_selection',
    'indexing_pressure',
    'repositories',
  ] as const),
];
export type NodeMetric = (typeof NODE_METRICS)[number];

/** Known to the API, without a counterpart here: asked for by name, nothing is told. */
export const ABSENT_METRICS = [
  ...['allocations'],
  ...['remote_store', 'search_backpressure', 'search_pipeline', 'weighted_routing', 'file_cache'],
  ...['segment_replication_backpressure', 'shard_indexing_pressure', 'task_cancellation', 'resource_usage_stats'],
  ...['cluster_manager_throttling', 'admission_control', 'caches', 'repositories_stats'],
];

export interface NodeView {
  readonly facts: NodeFacts;
  /** Undefined where the node did not tell. */
  readonly ingest: IngestFigures | undefined;
  readonly timestamp: number;
  readonly isHuman: boolean;
}

/** The section's name and contents. */
export function nodeSection(metric: Exclude<NodeMetric, 'indices'>, view: NodeView): readonly [string, JsonObject] {
  const name = metric === 'breaker' ? 'breakers' : metric;
  return [name, view.isHuman ? withReadableSizes(SECTIONS[metric](view)) : SECTIONS[metric](view)];
}

const SECTIONS: Readonly<Record<Exclude<NodeMetric, 'indices'>, (view: NodeView) => JsonObject>> = {
  os: ({ facts: { cpu, memory }, timestamp }) => {
    const usedBytes = memory.totalBytes - memory.freeBytes;
    return {
      timestamp,
      cpu: { percent: cpu.percent, load_average: { '1m': cpu.load1m, '5m': cpu.load5m, '15m': cpu.load15m } },
      mem: {
        total_in_bytes: memory.totalBytes,
        free_in_bytes: memory.freeBytes,
        used_in_bytes: usedBytes,
        free_percent: percent(memory.freeBytes, memory.totalBytes),
        used_percent: percent(usedBytes, memory.totalBytes),
      },
    };
  },
  process: ({ facts: { openFiles, memory, processCpu }, timestamp }) => ({
    timestamp,
    open_file_descriptors: openFiles?.current ?? -1,
    max_file_descriptors: openFiles?.max ?? -1,
    cpu: { percent: processCpu.percent, total_in_millis: processCpu.totalMs },
    mem: { total_virtual_in_bytes: memory.processBytes },
  }),
  // There is no such machine; what tools read there is the heap of the thread that answers.
  jvm: ({ facts: { memory, startedAtMs }, timestamp }) => ({
    timestamp,
    uptime_in_millis: timestamp - startedAtMs,
    mem: {
      heap_used_in_bytes: memory.heapUsedBytes,
      heap_used_percent: percent(memory.heapUsedBytes, memory.heapMaxBytes),
      heap_committed_in_bytes: memory.heapMaxBytes,
      heap_max_in_bytes: memory.heapMaxBytes,
      non_heap_used_in_bytes: Math.max(0, memory.processBytes - memory.heapUsedBytes),
      non_heap_committed_in_bytes: Math.max(0, memory.processBytes - memory.heapUsedBytes),
    },
  }),
  thread_pool: ({ facts }) =>
    Object.fromEntries(
      allPools(facts.front.pools).map(({ name, figures: { size, queue, active, rejected, largest, completed } }) => [
        name,
        { threads: size, queue, active, rejected, largest, completed },
      ]),
    ),
  fs: ({ facts: { disk, dataPath }, timestamp }) => {
    if (disk === null) return { timestamp, total: {}, data: [] };
    const total = {
      total_in_bytes: disk.totalBytes,
      free_in_bytes: disk.availableBytes,
      available_in_bytes: disk.availableBytes,
    };
    const { directory = '', type = '' } = disk.mount ?? {};
    return { timestamp, total, data: [{ path: dataPath, mount: `${directory} (${type})`, type, ...total }] };
  },
  transport: ({
    facts: {
      front: { transport },
    },
  }) => ({
    server_open: transport.watchers,
    total_outbound_connections: transport.asked?.opened ?? 0,
    // Messages each way: what others asked and what they answered, what they were asked and what they were answered.
    rx_count: transport.completed + (transport.asked?.completed ?? 0),
    rx_size_in_bytes: transport.receivedBytes + (transport.asked?.receivedBytes ?? 0),
    tx_count: transport.completed + (transport.asked?.sent ?? 0),
    tx_size_in_bytes: transport.sentBytes + (transport.asked?.sentBytes ?? 0),
    ...callOutcomes(transport),
  }),
  http: ({ facts: { front } }) => ({
    current_open: front.connections.open,
    total_opened: front.connections.opened,
  }),
  // States are handed on as they come: none waits.
  discovery: () => ({ cluster_state_queue: { total: 0, pending: 0, committed: 0 } }),
  adaptive_selection: ({ facts: { ranks } }) =>
    Object.fromEntries(
      ranks.map(({ nodeId, underWay, queue, serviceMs, responseMs, rank }) => [
        nodeId,
        {
          outgoing_searches: underWay,
          avg_queue_size: Math.round(queue),
          avg_service_time_ns: Math.round(serviceMs * NANOS_PER_MILLI),
          avg_response_time_ns: Math.round(responseMs * NANOS_PER_MILLI),
          rank: rank.toFixed(1),
        },
      ]),
    ),
  indexing_pressure: ({ facts: { front } }) => indexingPressure(front.breakers),
  repositories: () => ({}),
  ingest: ({ ingest }) => (ingest === undefined ? {} : renderIngest(ingest)),
  breaker: ({ facts: { front } }) =>
    Object.fromEntries(Object.entries(front.breakers).map(([name, figures]) => [name, renderBreaker(figures)])),
  script: ({ facts: { scripts } }) => ({
    ...scripts.scripts,
    computed_fields: { ...scripts.computed_fields },
    term_ordinals: { ...scripts.term_ordinals },
    term_counts: { ...scripts.term_counts },
    term_hashes: { ...scripts.term_hashes },
    stored_blocks: { ...scripts.stored_blocks },
    stored_queries: { ...scripts.stored_queries },
    resolved_queries: { ...scripts.resolved_queries },
    stored_query_keys: { ...scripts.stored_query_keys },
    stored_query_tables: { ...scripts.stored_query_tables },
  }),
  script_cache: ({
    facts: {
      scripts: { scripts },
    },
  }) => ({
    sum: {
      compilations: scripts.compilations,
      cache_evictions: scripts.cache_evictions,
      compilation_limit_triggered: scripts.compilation_limit_triggered,
    },
  }),
};

const NANOS_PER_MILLI = 1_000_000;

/** What became of the calls of other nodes, and of those to them: more than the API tells, for who looks for a broken link. */
function callOutcomes({ active, completed, rejected, asked }: TransportTraffic): JsonObject {
  const inbound = { active, completed, rejected };
  if (asked === undefined) return { inbound_calls: inbound };
  const { sent, completed: answered, failed, misanswered } = asked;
  const outbound = { sent, completed: answered, failed, misanswered, rejected: asked.rejected };
  return { inbound_calls: inbound, outbound_calls: outbound };
}

/** What requests of clients hold, and those of other nodes, to which documents for primaries and replicas come alike. */
function indexingPressure(breakers: NodeFacts['front']['breakers']): JsonObject {
  const clients = breakers['in_flight_requests'];
  const nodes = breakers['transport_requests'];
  const [coordinating, primary] = [clients?.usedBytes ?? 0, nodes?.usedBytes ?? 0];
  return {
    memory: {
      current: {
        combined_coordinating_and_primary_in_bytes: coordinating + primary,
        coordinating_in_bytes: coordinating,
        primary_in_bytes: primary,
        replica_in_bytes: 0,
        all_in_bytes: coordinating + primary,
      },
      total: { coordinating_rejections: clients?.refused ?? 0, primary_rejections: nodes?.refused ?? 0 },
      limit_in_bytes: clients?.limitBytes ?? 0,
    },
  };
}

function renderBreaker({ limitBytes, usedBytes, refused }: BreakerFigures): JsonObject {
  return {
    limit_size_in_bytes: limitBytes,
    limit_size: formatBytes(limitBytes),
    estimated_size_in_bytes: usedBytes,
    estimated_size: formatBytes(usedBytes),
    overhead: 1,
    tripped: refused,
  };
}

/** Beside each size what people write. */
export function withReadableSizes(section: JsonObject): JsonObject {
  const entries = Object.entries(section).flatMap(([name, value]) => {
    const isSize = name.endsWith('_in_bytes') && typeof value === 'number';
    const readable = isSize ? [[name.slice(0, -'_in_bytes'.length), formatBytes(value)] as const] : [];
    return [...readable, [name, isJsonObject(value) ? withReadableSizes(value) : value] as const];
  });
  return Object.fromEntries(entries);
}

function percent(part: number, whole: number): number {
  return whole <= 0 ? 0 : Math.round((100 * part) / whole);
}
