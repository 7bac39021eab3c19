/** Requests, queues, breakers and what nodes say to each other, as the front of a node counts them. */
import type { FrontFigures, SecurityFigures } from '../../actions/front-figures.js';
import type { PressureFigures } from '../../base/indexing-pressure.js';
import { counter, gauge, labelled, type Metric } from './metric.js';

const MS_PER_SECOND = 1_000;

export function frontMetrics(figures: FrontFigures): readonly Metric[] {
  const { pools, breakers, connections, requests, transport, security } = figures;
  const ofPools = (value: (pool: FrontFigures['pools'][string]) => number): ReturnType<typeof labelled> =>
    labelled(
      'thread_pool_name',
      Object.entries(pools).map(([name, pool]) => [name, value(pool)] as const),
    );
  const ofBreakers = (value: (breaker: FrontFigures['breakers'][string]) => number): ReturnType<typeof labelled> =>
    labelled(
      'circuit_breaker_name',
      Object.entries(breakers).map(([name, breaker]) => [name, value(breaker)] as const),
    );
  return [
    gauge('quarry_node_http_connections', 'Connections of clients that are open.', { value: connections.open }),
    counter('quarry_node_http_connections_opened_total', 'Connections of clients.', { value: connections.opened }),
    counter(
      'quarry_node_http_requests_total',
      'Requests of clients.',
      ...labelled('operation', Object.entries(requests)),
    ),
    gauge('quarry_node_thread_pool_tasks_active', 'Requests that run.', ...ofPools(({ active }) => active)),
    gauge('quarry_node_thread_pool_tasks_queued', 'Requests that wait.', ...ofPools(({ queue }) => queue)),
    gauge('quarry_node_thread_pool_threads', 'Requests that may run at once.', ...ofPools(({ size }) => size)),
    counter(
      'quarry_node_thread_pool_tasks_finished_total',
      'Requests that ended, and those that were rejected because the queue was full.',
      ...Object.entries(pools).flatMap(([name, { completed, rejected }]) => [
        { value: completed, labels: { thread_pool_name: name, state: 'completed' } },
        { value: rejected, labels: { thread_pool_name: name, state: 'rejected' } },
      ]),
    ),
    counter(
      'quarry_node_thread_pool_wait_time_seconds_total',
      'How long requests waited.',
      ...ofPools(({ waitMs }) => waitMs / MS_PER_SECOND),
    ),
    gauge('quarry_breaker_memory_estimated_bytes', 'What is held.', ...ofBreakers(({ usedBytes }) => usedBytes)),
    gauge('quarry_breaker_memory_limit_bytes', 'What may be held.', ...ofBreakers(({ limitBytes }) => limitBytes)),
    counter('quarry_breaker_tripped_total', 'What was refused.', ...ofBreakers(({ refused }) => refused)),
    counter('quarry_node_indexing_buffers_relieved_total', 'Indexing buffers that were emptied for want of budget.', {
      value: figures.buffersRelieved,
    }),
    counter(
      'quarry_node_cluster_io_bytes_total',
      'Bytes between this node and others, as these asked.',
      ...labelled('direction', [
        ['received', transport.receivedBytes],
        ['sent', transport.sentBytes],
      ]),
    ),
    ...(figures.indexingPressure === undefined ? [] : pressureMetrics(figures.indexingPressure)),
    ...cacheMetrics(figures.caches ?? {}),
    ...(security === undefined ? [] : securityMetrics(security)),
  ];
}

function pressureMetrics({ current, total, rejections, limits }: PressureFigures): readonly Metric[] {
  const ofStages = (coordinating: number, primary: number, replica: number): ReturnType<typeof labelled> =>
    labelled('stage', Object.entries({ coordinating, primary, replica }));
  return [
    gauge(
      'quarry_indexing_pressure_memory_bytes',
      'What documents hold while they are written.',
      ...ofStages(current.coordinating, current.primary, current.replica),
    ),
    gauge(
      'quarry_indexing_pressure_memory_limit_bytes',
      'What they may hold.',
      ...ofStages(limits.coordinatingBytes, limits.primaryBytes, limits.replicaBytes),
    ),
    counter(
      'quarry_indexing_pressure_memory_taken_bytes_total',
      'What they ever held.',
      ...ofStages(total.coordinating, total.primary, total.replica),
    ),
    counter(
      'quarry_indexing_pressure_rejections_total',
      'Writes that were refused, for they would have held too much.',
      ...ofStages(rejections.coordinating, rejections.primary, rejections.replica),
    ),
    counter(
      'quarry_indexing_pressure_primary_documents_rejected_total',
      'Documents of the writes that primaries refused.',
      { value: rejections.primaryDocuments },
    ),
  ];
}

function cacheMetrics(caches: NonNullable<FrontFigures['caches']>): readonly Metric[] {
  const of = Object.entries(caches);
  return [
    counter(
      'quarry_node_thread_cache_lookups_total',
      'Of the caches that each thread has for itself: what was found, and what was not.',
      ...of.flatMap(([name, { hits, misses }]) => [
        { value: hits, labels: { cache_name: name, outcome: 'hit' } },
        { value: misses, labels: { cache_name: name, outcome: 'miss' } },
      ]),
    ),
    counter(
      'quarry_node_thread_cache_evictions_total',
      'Entries that made room for others.',
      ...labelled(
        'cache_name',
        of.map(([name, { evictions }]) => [name, evictions] as const),
      ),
    ),
  ];
}

function securityMetrics({ authentication, keptOut, audit }: SecurityFigures): readonly Metric[] {
  const { cache, hashes } = authentication;
  return [
    gauge('quarry_security_authentication_cache_entries', 'Senders that are remembered.', { value: cache.size }),
    counter(
      'quarry_security_authentication_cache_lookups_total',
      'Requests whose sender was remembered, and others.',
      ...labelled('outcome', [
        ['hit', cache.hits],
        ['miss', cache.misses],
      ]),
    ),
    counter('quarry_security_authentication_cache_evictions_total', 'Senders that were forgotten for want of room.', {
      value: cache.evictions,
    }),
    gauge('quarry_security_password_hashes_active', 'Passwords that are being hashed.', { value: hashes.active }),
    gauge('quarry_security_password_hashes_queued', 'Passwords that wait to be hashed.', { value: hashes.queue }),
    counter(
      'quarry_security_password_hashes_finished_total',
      'Passwords that were hashed, and those that were not because too many waited.',
      ...labelled('state', [
        ['completed', hashes.completed],
        ['rejected', hashes.rejected],
      ]),
    ),
    counter(
      'quarry_security_requests_refused_total',
      'Requests whose senders were not let in.',
      ...labelled('reason', Object.entries(keptOut)),
    ),
    ...(audit === undefined
      ? []
      : [
          counter(
            'quarry_security_audit_entries_total',
            'Entries of the audit log that were written, and those that were lost.',
            ...labelled('state', Object.entries(audit)),
          ),
        ]),
  ];
}
