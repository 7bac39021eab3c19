/** Sections of a node's statistics, but for those of its indices. Loaded when somebody asks. */
import type { TransportTraffic } from '../../../actions/front-figures.js';
import type { NodeFacts } from '../../../actions/nodes/node-facts.js';
import type { BreakerFigures } from '../../../base/breakers.js';
import { isJsonObject, type JsonObject } from '../../../base/json-value.js';
import { formatBytes, formatTime, NANOS_PER_MS } from '../../../base/units.js';
import type { IngestFigures } from '../../../ingest/statistics.js';
import { httpRoutes } from './http-routes.js';
import { indexingPressure } from './indexing-pressure.js';
import { cgroupMember, fileSystemSizes, ioMember } from './machine-sections.js';
import type { NodeMetric } from './node-metrics.js';
import { renderIngest } from './render-ingest.js';
import { allPools, type Pool } from './pools.js';
import { withReadableSizes } from './readable-sizes.js';
import { repositoriesSection } from './repositories-section.js';
import { runtimeStatistics } from './runtime-sections.js';

/** What is made here; the others have places of their own. */
type SectionName = Exclude<NodeMetric, 'indices' | 'security'>;

export interface NodeView {
  readonly facts: NodeFacts;
  /** Undefined where the node did not tell. */
  readonly ingest: IngestFigures | undefined;
  /** Of a section that was not asked for, or of a node that did not tell: nothing. */
  readonly updates: JsonObject;
  readonly timestamp: number;
  readonly isHuman: boolean;
}

/** The section's name and contents. */
export function nodeSection(
  metric: SectionName,
  view: NodeView,
): readonly [string, JsonObject | readonly JsonObject[]] {
  const name = metric === 'breaker' ? 'breakers' : metric;
  const section = SECTIONS[metric](view);
  return [name, view.isHuman && isJsonObject(section) ? withReadableSizes(section) : section];
}

const SECTIONS: Readonly<Record<SectionName, (view: NodeView) => JsonObject | readonly JsonObject[]>> = {
  os: ({ facts, timestamp }) => {
    const { cpu, memory, runtime } = facts;
    const { totalBytes: swapBytes, freeBytes: freeSwapBytes } = runtime?.swap ?? { totalBytes: 0, freeBytes: 0 };
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
      swap: {
        total_in_bytes: swapBytes,
        free_in_bytes: freeSwapBytes,
        used_in_bytes: swapBytes - freeSwapBytes,
      },
      ...cgroupMember(facts),
    };
  },
  process: ({ facts: { openFiles, memory, processCpu }, timestamp }) => ({
    timestamp,
    open_file_descriptors: openFiles?.current ?? -1,
    max_file_descriptors: openFiles?.max ?? -1,
    cpu: { percent: processCpu.percent, total_in_millis: processCpu.totalMs },
    mem: { total_virtual_in_bytes: memory.virtualBytes },
  }),
  jvm: ({ facts, timestamp }) => runtimeStatistics(facts, timestamp),
  thread_pool: ({ facts, isHuman }) => {
    const hasWaiting = facts.settings.values['compatibility.distribution'] === 'opensearch';
    return Object.fromEntries(
      allPools(facts.front.pools).map((pool) => {
        const { size, queue, active, rejected, largest, completed } = pool.figures;
        const waiting = hasWaiting && pool.measuresWaiting ? waitingTime(pool, isHuman) : {};
        return [pool.name, { threads: size, queue, active, rejected, largest, completed, ...waiting }];
      }),
    );
  },
  fs: ({ facts, timestamp }) => {
    const { disk, dataPath } = facts;
    if (disk === null) return { timestamp, total: {}, data: [] };
    const total = fileSystemSizes(facts);
    const { directory = '', type = '' } = disk.mount ?? {};
    const data = [{ path: dataPath, mount: `${directory} (${type})`, type, ...total }];
    return { timestamp, total, data, ...ioMember(facts) };
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
  // The library does not tell connections apart, nor when which of them ends: nothing is known of single clients.
  http: ({ facts: { front }, isHuman }) => ({
    current_open: front.connections.open,
    total_opened: front.connections.opened,
    clients: [],
    routes: httpRoutes(front.routes ?? {}, isHuman),
  }),
  // States are handed on as they come: none waits.
  discovery: ({ facts: { front }, updates }) => ({
    cluster_state_queue: { total: 0, pending: 0, committed: 0 },
    published_cluster_states: {
      full_states: front.publications?.full ?? 0,
      incompatible_diffs: front.publications?.incompatible ?? 0,
      compatible_diffs: front.publications?.compatible ?? 0,
    },
    ...updates,
  }),
  adaptive_selection: ({ facts: { ranks } }) =>
    Object.fromEntries(
      ranks.map(({ nodeId, underWay, queue, serviceMs, responseMs, rank }) => [
        nodeId,
        {
          outgoing_searches: underWay,
          avg_queue_size: Math.round(queue),
          avg_service_time_ns: Math.round(serviceMs * NANOS_PER_MS),
          avg_response_time_ns: Math.round(responseMs * NANOS_PER_MS),
          rank: rank.toFixed(1),
        },
      ]),
    ),
  indexing_pressure: ({ facts: { front, settings } }) => ({
    ...indexingPressure(front.indexingPressure, settings.values['compatibility.distribution'] === 'elasticsearch'),
    // More than the API tells: how often the budget of all indexing buffers was used up, and one of them was emptied.
    buffers: { relieved: front.buffersRelieved },
  }),
  repositories: ({ facts, isHuman }) => repositoriesSection(facts, isHuman),
  ingest: ({ ingest, facts: { settings } }) =>
    ingest === undefined ? {} : renderIngest(ingest, settings.values['compatibility.distribution']),
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
    kept_plans: { ...scripts.kept_plans },
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

function waitingTime({ figures: { waitMs } }: Pool, isHuman: boolean): JsonObject {
  return {
    ...(isHuman ? { total_wait_time: formatTime(waitMs) } : {}),
    total_wait_time_in_nanos: Math.round(waitMs * NANOS_PER_MS),
  };
}

/** What became of the calls of other nodes, and of those to them: more than the API tells, for who looks for a broken link. */
function callOutcomes({ active, completed, rejected, refused = 0, asked }: TransportTraffic): JsonObject {
  const inbound = { active, completed, rejected, refused };
  if (asked === undefined) return { inbound_calls: inbound };
  const { sent, completed: answered, failed, misanswered } = asked;
  const outbound = { sent, completed: answered, failed, misanswered, rejected: asked.rejected };
  return { inbound_calls: inbound, outbound_calls: outbound };
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

function percent(part: number, whole: number): number {
  return whole <= 0 ? 0 : Math.round((100 * part) / whole);
}
