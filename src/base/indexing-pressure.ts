/**
 * Indexing pressure: what documents hold in a node while they are written, and the bounds of it. A write counts where it is coordinated, where its
 * primary carries it out, and where a replica does. Each thread counts in a row of its own in memory that all threads of the node share.
 */
import type { ProductName } from './compatible-versions.js';
import { QuarryError } from './errors.js';
import { bytesOrShare } from './memory.js';
import type { NodeSettings } from './node-settings.js';

/** Of replicas, where nothing else is set: copies are to take what primaries have carried out already. */
const REPLICA_FACTOR = 1.5;

/** What a write holds beside its document: the words that describe it. */
const OPERATION_BYTES = 64;

export interface PressureLimits {
  readonly coordinatingBytes: number;
  readonly primaryBytes: number;
  readonly replicaBytes: number;
}

/** `combined` is of what is coordinated and of primaries, but a primary on the node that coordinates holds the same documents. */
export interface PressureBytes {
  readonly combined: number;
  readonly coordinating: number;
  readonly primary: number;
  readonly replica: number;
}

export interface PressureFigures {
  readonly current: PressureBytes;
  /** Since the start of the node. */
  readonly total: PressureBytes;
  readonly rejections: {
    readonly coordinating: number;
    readonly primary: number;
    readonly replica: number;
    readonly primaryDocuments: number;
  };
  readonly limits: PressureLimits;
}

/** Where a row has what. */
const CURRENT = 0;
const TOTAL = 4;
const REJECTIONS = 8;
const PRIMARY_DOCUMENTS = REJECTIONS + 3;
/** Within what is held, and all that ever was. */
const AT = { combined: 0, coordinating: 1, primary: 2, replica: 3 } as const;
type Place = keyof typeof AT;
const COORDINATED = ['combined', 'coordinating'] as const;
const PRIMARY_HERE = ['primary'] as const;
/** Than what coordinates. */
const PRIMARY_ELSEWHERE = ['combined', 'primary'] as const;
const REPLICATED = ['replica'] as const;

/** Rows begin at lines of the processor's cache. */
const ROW_LENGTH = 16;

/** Rows for so many threads, and a word behind them; see {@link IndexingPressure.settle}. Whole numbers as doubles are exact up to 2^53. */
export function pressureWords(threads: number): Float64Array {
  const words = threads * ROW_LENGTH + 1;
  return new Float64Array(new SharedArrayBuffer(words * Float64Array.BYTES_PER_ELEMENT));
}

export function pressureLimits({ values }: NodeSettings): PressureLimits {
  const bytesOf = (key: PressureKey, text: string | undefined): number | undefined =>
    text === undefined ? undefined : bytesOrShare(text, key);
  const ofAll = bytesOrShare(values[LIMIT], LIMIT);
  const coordinatingBytes = bytesOf(COORDINATING_LIMIT, values[COORDINATING_LIMIT]) ?? ofAll;
  const primaryBytes = bytesOf(PRIMARY_LIMIT, values[PRIMARY_LIMIT]) ?? ofAll;
  const replicaBytes = bytesOf(REPLICA_LIMIT, values[REPLICA_LIMIT]) ?? Math.floor(primaryBytes * REPLICA_FACTOR);
  return { coordinatingBytes, primaryBytes, replicaBytes };
}

const LIMIT = 'indexing_pressure.memory.limit';
const COORDINATING_LIMIT = 'indexing_pressure.memory.coordinating.limit';
const PRIMARY_LIMIT = 'indexing_pressure.memory.primary.limit';
const REPLICA_LIMIT = 'indexing_pressure.memory.replica.limit';
type PressureKey = typeof COORDINATING_LIMIT | typeof PRIMARY_LIMIT | typeof REPLICA_LIMIT;

/** Of all threads. */
export function pressureFigures(words: Float64Array, limits: PressureLimits): PressureFigures {
  const bytesAt = (start: number): PressureBytes => ({
    combined: sumOf(words, start + AT.combined),
    coordinating: sumOf(words, start + AT.coordinating),
    primary: sumOf(words, start + AT.primary),
    replica: sumOf(words, start + AT.replica),
  });
  return {
    current: bytesAt(CURRENT),
    total: bytesAt(TOTAL),
    rejections: {
      coordinating: sumOf(words, rejectionsOf('coordinating')),
      primary: sumOf(words, rejectionsOf('primary')),
      replica: sumOf(words, rejectionsOf('replica')),
      primaryDocuments: sumOf(words, PRIMARY_DOCUMENTS),
    },
    limits,
  };
}

/** What writes of this length hold. */
export function heldBytes(documentBytes: number, operations: number): number {
  return documentBytes + operations * OPERATION_BYTES;
}

export interface PrimaryShare {
  readonly bytes: number;
  readonly operations: number;
  /** The documents lie in memory that was counted when the node coordinated them. */
  readonly isCoordinatedHere: boolean;
  readonly isForced: boolean;
}

/** The hand of one thread on its row. */
export class IndexingPressure {
  private readonly words: Float64Array;
  private readonly order: Int32Array;
  private readonly limits: PressureLimits;
  private readonly product: ProductName;
  private row: Float64Array = new Float64Array(ROW_LENGTH);

  /** `words`: of {@link pressureWords}. */
  constructor(words: Float64Array, limits: PressureLimits, product: ProductName) {
    this.words = words;
    this.order = new Int32Array(words.buffer, words.byteLength - Float64Array.BYTES_PER_ELEMENT, 1);
    this.limits = limits;
    this.product = product;
  }

  /** The thread that had the slot before has ended, and holds nothing any more. */
  takeSlot(slot: number): void {
    this.row = this.words.subarray(slot * ROW_LENGTH, (slot + 1) * ROW_LENGTH);
    this.row.fill(0, CURRENT, TOTAL);
  }

  /**
   * Carries out a write, or many, that this node coordinates; refused as a whole. `isForced`: however much is held; asked where it would be
   * refused.
   */
  coordinate<Result>(bytes: number, isForced: () => boolean, work: () => Promise<Result>): Promise<Result> {
    const limitBytes = this.limits.coordinatingBytes;
    this.enter('combined', bytes);
    const { combined, replica } = this.held();
    if (combined + replica > limitBytes) {
      // Before it is asked: it may throw.
      this.leave('combined', bytes);
      if (!isForced()) {
        return Promise.reject(this.refusal('coordinating', bytes, { combined, replica, limitBytes }));
      }
      this.enter('combined', bytes);
    }
    this.enter('coordinating', bytes);
    return this.during(work, COORDINATED, bytes);
  }

  /** Carries out operations on a primary. */
  carryOut<Result>(share: PrimaryShare, work: () => Promise<Result>): Promise<Result> {
    const { bytes, operations, isCoordinatedHere, isForced } = share;
    if (isCoordinatedHere) {
      this.enter('primary', bytes);
      return this.during(work, PRIMARY_HERE, bytes);
    }
    const limitBytes = this.limits.primaryBytes;
    this.enter('combined', bytes);
    const { combined, replica } = this.held();
    if (!isForced && combined + replica > limitBytes) {
      this.leave('combined', bytes);
      this.add(PRIMARY_DOCUMENTS, operations);
      return Promise.reject(this.refusal('primary', bytes, { combined, replica, limitBytes }));
    }
    this.enter('primary', bytes);
    return this.during(work, PRIMARY_ELSEWHERE, bytes);
  }

  /**
   * Carries out operations on a replica. Their primary has carried them out already, and sends them again until they are taken: what is larger than
   * the limit would never be, so it is taken where no other is held.
   */
  replicate<Result>(bytes: number, isForced: boolean, work: () => Promise<Result>): Promise<Result> {
    const limitBytes = this.limits.replicaBytes;
    this.enter('replica', bytes);
    const { replica } = this.held();
    if (!isForced && replica > limitBytes && replica > bytes) {
      this.leave('replica', bytes);
      return Promise.reject(this.refusal('replica', bytes, { combined: 0, replica, limitBytes }));
    }
    return this.during(work, REPLICATED, bytes);
  }

  private async during<Result>(work: () => Promise<Result>, places: readonly Place[], bytes: number): Promise<Result> {
    for (const place of places) this.add(TOTAL + AT[place], bytes);
    try {
      return await work();
    } finally {
      for (const place of places) this.leave(place, bytes);
    }
  }

  /** Of all threads. Whoever asks has entered what it wants: of two that do so at once, one sees the other's. */
  private held(): Pick<PressureBytes, 'combined' | 'replica'> {
    this.settle();
    return {
      combined: sumOf(this.words, CURRENT + AT.combined),
      replica: sumOf(this.words, CURRENT + AT.replica),
    };
  }

  /** An atomic step keeps the processor from reading other rows before this one is written. */
  private settle(): void {
    Atomics.add(this.order, 0, 1);
  }

  private enter(place: Place, bytes: number): void {
    this.add(CURRENT + AT[place], bytes);
  }

  private leave(place: Place, bytes: number): void {
    this.add(CURRENT + AT[place], -bytes);
  }

  private add(at: number, change: number): void {
    this.row[at] = (this.row[at] ?? 0) + change;
  }

  /** `combined` and `replica` are with what is refused. */
  private refusal(
    stage: Stage,
    bytes: number,
    {
      combined,
      replica,
      limitBytes,
    }: { readonly combined: number; readonly replica: number; readonly limitBytes: number },
  ): QuarryError {
    this.add(rejectionsOf(stage), 1);
    const isElasticsearch = this.product === 'elasticsearch';
    const others =
      stage === 'replica'
        ? `replica_bytes=${replica - bytes}`
        : `coordinating_and_primary_bytes=${combined - bytes}, replica_bytes=${replica}, ` +
          `all_bytes=${combined + replica - bytes}`;
    const limit = isElasticsearch || stage === 'replica' ? `max_${stage}_bytes` : 'max_coordinating_and_primary_bytes';
    const figures = `${others}, ${stage}_operation_bytes=${bytes}, ${limit}=${limitBytes}`;
    const type = isElasticsearch ? 'es_rejected_execution_exception' : 'rejected_execution_exception';
    return new QuarryError(type, `rejected execution of ${stage} operation [${figures}]`);
  }
}

type Stage = Exclude<Place, 'combined'>;

function rejectionsOf(stage: Stage): number {
  return REJECTIONS + AT[stage] - 1;
}

/** The last word belongs to no row. */
function sumOf(words: Float64Array, at: number): number {
  let sum = 0;
  for (let place = at; place < words.length - 1; place += ROW_LENGTH) sum += words[place] ?? 0;
  return sum;
}
