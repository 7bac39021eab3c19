/** What a node's process and its machine take. */
import type { NodeFacts } from '../../actions/nodes/node-facts.js';
import { counter, gauge, labelled, type Metric } from './metric.js';

const MS_PER_SECOND = 1_000;
const PERCENT = 100;

export function processMetrics(facts: NodeFacts, nowMs: number): readonly Metric[] {
  const { memory, processCpu, openFiles, startedAtMs, runtime } = facts;
  return [
    counter('process_cpu_time_seconds_total', 'Processor time of all threads.', {
      value: processCpu.totalMs / MS_PER_SECOND,
    }),
    gauge('process_uptime_seconds', 'Time since the node started.', { value: (nowMs - startedAtMs) / MS_PER_SECOND }),
    gauge(
      'process_memory_usage_bytes',
      'Memory of the process: private (heaps, bodies, native allocations) and pages of mapped files.',
      ...labelled('type', [
        ['private', memory.heapUsedBytes],
        ['mapped', memory.mappedBytes ?? 0],
      ]),
    ),
    ...(facts.front.javascriptBytes === undefined
      ? []
      : [
          gauge('v8js_memory_heap_used_bytes', 'Heaps of JavaScript of all threads, after their last collections.', {
            value: facts.front.javascriptBytes,
          }),
        ]),
    gauge('quarry_memory_budget_bytes', 'What the node may hold outside the page cache.', {
      value: memory.heapMaxBytes,
    }),
    ...(openFiles === null
      ? []
      : [gauge('process_open_file_descriptor_count', 'Files that are open.', { value: openFiles.current })]),
    ...(runtime === undefined || runtime.threads === null
      ? []
      : [gauge('process_thread_count', 'Threads of the process.', { value: runtime.threads })]),
    ...collections(facts),
    ...machine(facts),
  ];
}

function collections({ front: { collections: found } }: NodeFacts): readonly Metric[] {
  if (found === undefined) return [];
  const { young, old } = found;
  return [
    counter(
      'v8js_gc_collections_total',
      'Garbage collections of all threads.',
      ...labelled('v8js_gc_type', [
        ['minor', young.count],
        ['major', old.count],
      ]),
    ),
    counter(
      'v8js_gc_time_seconds_total',
      'Time of garbage collections of all threads.',
      ...labelled('v8js_gc_type', [
        ['minor', young.timeMs / MS_PER_SECOND],
        ['major', old.timeMs / MS_PER_SECOND],
      ]),
    ),
  ];
}

function machine({ cpu, memory, disk }: NodeFacts): readonly Metric[] {
  return [
    gauge('system_cpu_utilization_ratio', 'All processors of the machine, lately.', { value: cpu.percent / PERCENT }),
    gauge(
      'system_memory_usage_bytes',
      'Memory of the machine.',
      ...labelled('system_memory_state', [
        ['used', memory.totalBytes - memory.freeBytes],
        ['free', memory.freeBytes],
      ]),
    ),
    ...(disk === null
      ? []
      : [
          gauge(
            'system_filesystem_usage_bytes',
            'The file system of the data path.',
            ...labelled('system_filesystem_state', [
              ['used', disk.totalBytes - disk.availableBytes],
              ['free', disk.availableBytes],
            ]),
          ),
          gauge('system_filesystem_limit_bytes', 'Size of the file system of the data path.', {
            value: disk.totalBytes,
          }),
        ]),
  ];
}
