/**
 * What tools read of a Java machine. There is none. Its heap stands for the memory budget of the node and what all threads hold of it: JavaScript
 * heaps, bodies, native allocations. `javascript_used` and `native_used` are its parts. The pools are those of V8 in the thread that answers, collections those of all threads, and 0 stands for what
 * there is not.
 */
import type { NodeFacts } from '../../../actions/nodes/node-facts.js';
import type { GenerationFacts } from '../../../actions/nodes/heap-facts.js';
import type { Collections } from '../../../base/thread-figures.js';
import type { JsonObject } from '../../../base/json-value.js';

/** `jvm` of a node's statistics. */
export function runtimeStatistics(facts: NodeFacts, timestamp: number): JsonObject {
  const { memory, startedAtMs, runtime } = facts;
  const mappedBytes = memory.mappedBytes ?? 0;
  const threads = runtime?.threads ?? 0;
  return {
    timestamp,
    uptime_in_millis: timestamp - startedAtMs,
    mem: {
      heap_used_in_bytes: memory.heapUsedBytes,
      heap_used_percent: percent(memory.heapUsedBytes, memory.heapMaxBytes),
      heap_committed_in_bytes: memory.heapMaxBytes,
      heap_max_in_bytes: memory.heapMaxBytes,
      non_heap_used_in_bytes: mappedBytes,
      non_heap_committed_in_bytes: mappedBytes,
      ...partsOfHeap(facts),
      pools: memoryPools(facts),
    },
    threads: { count: threads, peak_count: threads },
    gc: { collectors: collectors(facts) },
    buffer_pools: { direct: bufferPool(runtime?.heap.externalBytes ?? 0), mapped: bufferPool(mappedBytes) },
    classes: { current_loaded_count: 0, total_loaded_count: 0, total_unloaded_count: 0 },
  };
}

/** Of what counts as heap what JavaScript holds, and all the rest: bodies, and what the kernels and the program itself allocated. */
function partsOfHeap({ memory, front: { javascriptBytes } }: NodeFacts): JsonObject {
  if (javascriptBytes === undefined) return {};
  return {
    javascript_used_in_bytes: javascriptBytes,
    native_used_in_bytes: Math.max(0, memory.heapUsedBytes - javascriptBytes),
  };
}

/** `jvm` of what a node is set up with. */
export function runtimeInfo({ processId, startedAtMs, memory, runtime }: NodeFacts): JsonObject {
  return {
    pid: processId,
    version: runtime?.nodeVersion ?? '',
    vm_name: 'V8',
    vm_version: runtime?.v8Version ?? '',
    vm_vendor: 'Node.js',
    bundled_jdk: false,
    using_bundled_jdk: false,
    start_time_in_millis: startedAtMs,
    mem: {
      heap_init_in_bytes: memory.heapMaxBytes,
      heap_max_in_bytes: memory.heapMaxBytes,
      non_heap_init_in_bytes: 0,
      non_heap_max_in_bytes: 0,
      direct_max_in_bytes: 0,
    },
    gc_collectors: ['young', 'old'],
    memory_pools: ['young', 'survivor', 'old'],
    using_compressed_ordinary_object_pointers: 'false',
    input_arguments: [],
  };
}

/** Of `young` and `survivor` V8 has no limits of their own: 0 stands for that. */
function memoryPools({ runtime }: NodeFacts): JsonObject {
  return {
    young: memoryPool(runtime?.heap.young, 0),
    survivor: memoryPool(undefined, 0),
    old: memoryPool(runtime?.heap.old, runtime?.heap.maxBytes ?? 0),
  };
}

function memoryPool(generation: GenerationFacts | undefined, maxBytes: number): JsonObject {
  return {
    used_in_bytes: generation?.usedBytes ?? 0,
    max_in_bytes: maxBytes,
    peak_used_in_bytes: generation?.peakBytes ?? 0,
    peak_max_in_bytes: maxBytes,
  };
}

function collectors({ front: { collections } }: NodeFacts): JsonObject {
  return { young: collector(collections?.young), old: collector(collections?.old) };
}

function collector(collections: Collections | undefined): JsonObject {
  return { collection_count: collections?.count ?? 0, collection_time_in_millis: collections?.timeMs ?? 0 };
}

function bufferPool(bytes: number): JsonObject {
  return { count: bytes === 0 ? 0 : 1, used_in_bytes: bytes, total_capacity_in_bytes: bytes };
}

function percent(part: number, whole: number): number {
  return whole <= 0 ? 0 : Math.round((100 * part) / whole);
}
