/** The heap of JavaScript of the thread that asks, by the generations of what lies there. */
import { getHeapSpaceStatistics, getHeapStatistics } from 'node:v8';

export interface HeapFacts {
  readonly usedBytes: number;
  readonly committedBytes: number;
  readonly maxBytes: number;
  readonly young: GenerationFacts;
  readonly old: GenerationFacts;
  /** What lies outside the heap and belongs to objects in it. */
  readonly externalBytes: number;
}

export interface GenerationFacts {
  readonly usedBytes: number;
  /** The most that was ever seen here by who asked. */
  readonly peakBytes: number;
}

const YOUNG_SPACES: ReadonlySet<string> = new Set(['new_space', 'new_large_object_space']);

const peaks = { young: 0, old: 0 };

export function heapFacts(): HeapFacts {
  const { used_heap_size, total_heap_size, heap_size_limit, external_memory } = getHeapStatistics();
  const used = { young: 0, old: 0 };
  for (const { space_name, space_used_size } of getHeapSpaceStatistics()) {
    used[YOUNG_SPACES.has(space_name) ? 'young' : 'old'] += space_used_size;
  }
  peaks.young = Math.max(peaks.young, used.young);
  peaks.old = Math.max(peaks.old, used.old);
  return {
    usedBytes: used_heap_size,
    committedBytes: total_heap_size,
    maxBytes: heap_size_limit,
    young: { usedBytes: used.young, peakBytes: peaks.young },
    old: { usedBytes: used.old, peakBytes: peaks.old },
    externalBytes: external_memory,
  };
}
