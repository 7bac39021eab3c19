/**
 * What merges will write, by replaying the engine's own choice (`src/cluster/merge-policy.ts`) on segments as they will come: one after each
 * refresh, one merge at a time, which takes its time while others come.
 */
import { findMerges, type MergePolicy, type MergeSegment } from '../../../src/cluster/merge-policy.js';

export interface Stream {
  /** That come in all, with those that replace earlier ones. */
  readonly operations: number;
  /** In one segment of a refresh. */
  readonly operationsPerSegment: number;
  /** Between two of these. */
  readonly secondsPerSegment: number;
  /** Share of operations that replace an earlier document. */
  readonly updates: number;
  /** Size of a segment of so many documents. */
  readonly bytesOf: (documents: number) => number;
  readonly mergeBytesPerSecond: number;
}

export interface Simulated {
  readonly writeAmplification: number;
  readonly flushedBytes: number;
  readonly mergedBytes: number;
  readonly merges: number;
  readonly segments: number;
  /** Bytes of segments in the end. */
  readonly storeBytes: number;
}

/** Segments that are simulated; what comes after is foretold from how the figure grew until then. */
const SEGMENTS_MAX = 4_000;

interface Running {
  readonly inputs: readonly MergeSegment[];
  readonly endsAt: number;
}

export function simulateMerges(stream: Stream, policy: MergePolicy): Simulated {
  const count = Math.max(1, Math.ceil(stream.operations / stream.operationsPerSegment));
  if (count <= SEGMENTS_MAX) return new Simulation(stream, policy).run(count, true);
  // A merge of a tier comes again and again, each time of more: the figure grows with the logarithm.
  const early = new Simulation(stream, policy).run(Math.ceil(SEGMENTS_MAX / 8), false);
  const late = new Simulation(stream, policy).run(SEGMENTS_MAX, false);
  const perDoubling = (late.writeAmplification - early.writeAmplification) / 3;
  // Until a segment is as large as it may be: that one is not merged again.
  const largest = policy.maxMergedSegmentBytes / stream.bytesOf(stream.operationsPerSegment);
  const doublings = Math.max(0, Math.log2(Math.min(count, largest) / SEGMENTS_MAX));
  const writeAmplification = late.writeAmplification + perDoubling * doublings;
  const factor = count / SEGMENTS_MAX;
  const flushedBytes = late.flushedBytes * factor;
  return {
    ...late,
    writeAmplification,
    flushedBytes,
    mergedBytes: flushedBytes * (writeAmplification - 1),
    merges: late.merges * factor,
    storeBytes: late.storeBytes * factor,
  };
}

class Simulation {
  private readonly stream: Stream;
  private readonly policy: MergePolicy;
  private segments: MergeSegment[] = [];
  private running: Running | undefined;
  private now = 0;
  private number = 0;
  private flushedBytes = 0;
  private mergedBytes = 0;
  private merges = 0;

  constructor(stream: Stream, policy: MergePolicy) {
    this.stream = stream;
    this.policy = policy;
  }

  /** `isWhole`: all that came in, the last segment smaller, and the merges that are due are waited for. */
  run(count: number, isWhole: boolean): Simulated {
    const { operations, operationsPerSegment, secondsPerSegment } = this.stream;
    for (let at = 0; at < count; at++) {
      this.now += secondsPerSegment;
      this.endMerges();
      const left = operations - at * operationsPerSegment;
      this.flush(isWhole ? Math.min(operationsPerSegment, left) : operationsPerSegment);
      this.beginMerge();
    }
    while (this.running !== undefined) {
      this.now = this.running.endsAt;
      this.endMerges();
    }
    const { flushedBytes, mergedBytes, merges, segments } = this;
    const storeBytes = segments.reduce((sum, { bytes }) => sum + bytes, 0);
    const writeAmplification = (flushedBytes + mergedBytes) / flushedBytes;
    return { writeAmplification, flushedBytes, mergedBytes, merges, segments: segments.length, storeBytes };
  }

  private flush(operations: number): void {
    this.delete(operations * this.stream.updates);
    const bytes = this.stream.bytesOf(operations);
    this.flushedBytes += bytes;
    this.segments.push({ name: this.nextName(), bytes, documents: operations, deleted: 0 });
  }

  /** From all segments alike; running merges know nothing of it. */
  private delete(count: number): void {
    const live = this.segments.reduce((sum, { documents }) => sum + documents, 0);
    if (count === 0 || live === 0) return;
    const share = Math.min(1, count / live);
    this.segments = this.segments.map((segment) => ({
      ...segment,
      documents: segment.documents * (1 - share),
      deleted: segment.deleted + segment.documents * share,
    }));
  }

  private beginMerge(): void {
    if (this.running !== undefined) return;
    const [names] = findMerges(this.segments, new Set(), this.policy);
    if (names === undefined) return;
    const inputs = this.segments.filter(({ name }) => names.includes(name));
    const bytes = this.stream.bytesOf(sumOf(inputs));
    this.running = { inputs, endsAt: this.now + bytes / this.stream.mergeBytesPerSecond };
  }

  private endMerges(): void {
    while (this.running !== undefined && this.running.endsAt <= this.now) {
      const { inputs, endsAt } = this.running;
      const names = new Set(inputs.map(({ name }) => name));
      // What was deleted meanwhile is deleted in what was merged.
      const written = sumOf(inputs);
      const bytes = this.stream.bytesOf(written);
      const live = sumOf(this.segments.filter(({ name }) => names.has(name)));
      const kept = this.segments.filter(({ name }) => !names.has(name));
      this.segments = [...kept, { name: this.nextName(), bytes, documents: live, deleted: written - live }];
      this.mergedBytes += bytes;
      this.merges++;
      this.running = undefined;
      // The next one begins when this one ends, not when the next segment comes.
      const before = this.now;
      this.now = endsAt;
      this.beginMerge();
      this.now = before;
    }
  }

  private nextName(): string {
    return `_${String(this.number++).padStart(9, '0')}`;
  }
}

function sumOf(segments: readonly MergeSegment[]): number {
  return segments.reduce((sum, { documents }) => sum + documents, 0);
}

const UNSURE_SIZES = [0.5, 1, 2];
const UNSURE_PACES = [0.5, 2];

/** With how much it varies where segments are smaller or larger, and merges slower or faster, than they were measured. */
export function estimateMerges(
  stream: Stream,
  policy: MergePolicy,
): Simulated & { readonly low: number; readonly high: number } {
  const expected = simulateMerges(stream, policy);
  const others = UNSURE_SIZES.flatMap((size) =>
    UNSURE_PACES.map((pace) => {
      const changed = {
        operationsPerSegment: Math.max(1, stream.operationsPerSegment * size),
        secondsPerSegment: stream.secondsPerSegment * size,
        mergeBytesPerSecond: stream.mergeBytesPerSecond * pace,
      };
      return simulateMerges({ ...stream, ...changed }, policy).writeAmplification;
    }),
  );
  return { ...expected, low: Math.min(...others), high: Math.max(...others) };
}
