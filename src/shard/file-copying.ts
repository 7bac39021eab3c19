/** Copies the files of a shard out of a repository while it is searched there, and has it read each file that is here. */
import type { Clock } from '../base/clock.js';
import { asQuarryError } from '../base/error-wire.js';
import { QuarryError } from '../base/errors.js';
import type { Lanes } from '../base/lanes.js';
import type { Logger } from '../base/logger.js';
import type { MissingPiece, RemoteFiles } from '../native/remote-files.js';
import type { NativeShard } from '../native/shard.js';
import type { RecoveryProgress } from './recovery-progress.js';
import type { Pace } from './replication/push-segments.js';

export interface FileCopyingServices {
  readonly clock: Clock;
  readonly logger: Logger;
  readonly recovery: RecoveryProgress;
  /** Of all shards of the thread: pieces are in memory, and whole files are proved. */
  readonly turns: Pick<Lanes, 'run'>;
  /** Is told once when the shard has to be made anew. */
  onFailure(reason: string): void;
  /** What is fetched at once. */
  readonly pieceBytes: number;
  readonly pace: Pace;
}

type CopiedFiles = Pick<RemoteFiles, 'files' | 'isComplete' | 'leave' | 'read' | 'supply' | 'takeMissing'>;

/** One piece is on its way while another one is written. */
const LANES = 2;
/** Others fetch what is missing. */
const LOOK_MS = 50;
const PACE_LOOK_MS = 500;
const RETRY_MS = 1_000;
const RETRY_MS_MAX = 60_000;

export class FileCopying {
  /** Resolves when all files are here, or it was closed. */
  readonly ended: Promise<void>;
  readonly #native: Pick<NativeShard, 'adoptFile' | 'endAdoption'>;
  readonly #remote: CopiedFiles;
  readonly #services: FileCopyingServices;
  /** Bytes by file that are to be read there still. */
  readonly #missing: Map<string, number>;
  readonly #received = new Map<string, number>();
  /** What is waited for ends early. */
  readonly #waits = new Set<() => void>();
  /** Bytes of pieces that lanes wait for, or copy. */
  #claimed = 0;
  /** Bytes that were waited for, and not copied: a piece was shorter, or failed. */
  #credit = 0;
  #throttledMs = 0;
  #failures = 0;
  #isClosed = false;

  /** `name` of the shard is for the log. The recovery is not done before the copying is. */
  constructor(
    name: string,
    native: Pick<NativeShard, 'adoptFile' | 'endAdoption'>,
    remote: CopiedFiles,
    services: FileCopyingServices,
  ) {
    this.#native = native;
    this.#remote = remote;
    this.#services = services;
    this.#missing = new Map(remote.files().map((file) => [file.name, file.length] as const));
    this.ended = this.#run(name);
  }

  /** Resolves soon: what is read or proved at the moment is not waited for, and nothing comes of it. */
  close(): Promise<void> {
    this.#isClosed = true;
    for (const end of this.#waits) end();
    return this.ended;
  }

  async #run(name: string): Promise<void> {
    while (!this.#isClosed) {
      try {
        await this.#copyMissing();
        this.#failures = 0;
        for (const file of this.#missing.keys()) await this.#adoptIfComplete(file);
        if (this.#isEnded()) return;
        await this.#first(undefined, LOOK_MS);
      } catch (error) {
        if (error instanceof AdoptionFailure) {
          // It is made anew.
          this.#services.onFailure(error.message);
          return;
        }
        await this.#pauseAfter(error, name);
      }
    }
  }

  #isEnded(): boolean {
    if (this.#isClosed) return true;
    if (this.#missing.size > 0) return false;
    this.#native.endAdoption();
    this.#services.recovery.copied();
    return true;
  }

  async #pauseAfter(error: unknown, name: string): Promise<void> {
    const { type, message } = asQuarryError(error);
    const retryMs = Math.min(RETRY_MS * 2 ** this.#failures++, RETRY_MS_MAX);
    const what = { shard: name, type, reason: message, retryMs };
    this.#services.logger.log('warn', 'files of a mounted shard cannot be copied yet', what);
    await this.#first(undefined, retryMs);
  }

  /** Until nothing is missing but what searches fetch. Throws what the first lane met that failed, when all have ended. */
  async #copyMissing(): Promise<void> {
    const lanes = await Promise.allSettled(Array.from({ length: LANES }, () => this.#lane()));
    const failed = lanes.find((lane) => lane.status === 'rejected');
    if (failed !== undefined) throw failed.reason;
  }

  async #lane(): Promise<void> {
    while (!this.#isClosed) {
      const piece = await this.#pacedPiece();
      if (piece === undefined) return;
      await this.#adoptIfComplete(piece.file);
    }
  }

  /** As {@link FileCopying.#copyPiece}; undefined also where other lanes are about to copy the rest. */
  async #pacedPiece(): Promise<MissingPiece | undefined> {
    const bytes = Math.min(this.#services.pieceBytes, this.#missingBytes() - this.#claimed);
    if (bytes <= 0) return undefined;
    const credit = Math.min(bytes, this.#credit);
    this.#claimed += bytes;
    this.#credit -= credit;
    let copied = 0;
    try {
      // Before the piece is taken: searches that need some of it wait for as long as it is.
      await this.#keepPace(bytes - credit);
      const piece = await this.#services.turns.run(() => this.#copyPiece(bytes));
      if (piece === undefined) return undefined;
      copied = piece.length;
      this.#note(piece.file, (this.#received.get(piece.file) ?? 0) + copied);
      return piece;
    } finally {
      this.#claimed -= bytes;
      this.#credit += Math.max(0, bytes - copied);
    }
  }

  /** The piece; undefined where none is missing, or it is not wanted any more. It is taken when its turn has come. */
  async #copyPiece(most: number): Promise<MissingPiece | undefined> {
    const piece = this.#isClosed ? undefined : this.#remote.takeMissing(most);
    if (piece === undefined) return undefined;
    let bytes: Uint8Array | undefined;
    try {
      bytes = await this.#first(this.#remote.read(piece.file, piece.offset, piece.length));
    } finally {
      if (bytes?.length !== piece.length) this.#remote.leave(piece);
    }
    if (bytes === undefined) return undefined;
    if (bytes.length !== piece.length) {
      const what = `[${piece.file}]: the repository has [${bytes.length}] of the [${piece.length}] bytes at ${piece.offset}`;
      throw new QuarryError('i_o_exception', what);
    }
    await this.#remote.supply(piece, bytes);
    return piece;
  }

  /** Of files that are not complete, what nobody told to be here. */
  #missingBytes(): number {
    const left = [...this.#missing].map(([file, length]) => length - (this.#received.get(file) ?? 0));
    return left.reduce((sum, bytes) => sum + bytes, 0);
  }

  /** Ends early where searches had the rest fetched. */
  async #keepPace(bytes: number): Promise<void> {
    const isMissing = (file: string): boolean => !this.#remote.isComplete(file);
    const isWanted = (): boolean => !this.#isClosed && [...this.#missing.keys()].some(isMissing);
    if (bytes <= 0 || !isWanted()) return;
    const passed = this.#services.pace(bytes, isWanted).then((ms) => {
      this.#throttledMs += ms;
      return true;
    });
    while (isWanted()) {
      if ((await this.#first(passed, PACE_LOOK_MS)) === true) return;
    }
  }

  async #adoptIfComplete(file: string): Promise<void> {
    const length = this.#missing.get(file);
    if (this.#isClosed || length === undefined || !this.#remote.isComplete(file)) return;
    this.#missing.delete(file);
    try {
      await this.#first(this.#services.turns.run(() => this.#native.adoptFile(file)));
    } catch (error) {
      throw new AdoptionFailure(`[${file}] was copied and cannot be used: ${asQuarryError(error).message}`);
    }
    this.#note(file, length);
  }

  #note(file: string, bytes: number): void {
    this.#received.set(file, bytes);
    this.#services.recovery.received(file, bytes, this.#throttledMs);
  }

  /** What the work resolves with; undefined where the time passed or all ends before. Then nobody hears of its failure. */
  #first<Result>(work: Promise<Result> | undefined, withinMs?: number): Promise<Result | undefined> {
    return new Promise((resolve, reject) => {
      let cancel: () => void = () => undefined;
      const end = (result?: Result): void => {
        cancel();
        this.#waits.delete(stop);
        resolve(result);
      };
      const stop = (): void => {
        end();
      };
      this.#waits.add(stop);
      if (withinMs !== undefined) cancel = this.#services.clock.schedule(withinMs, stop);
      work?.then(end, (error: unknown) => {
        reject(asQuarryError(error));
        end();
      });
    });
  }
}

/** The copy of a whole file is not what it should be, or cannot be read: nothing that is fetched again mends that. */
class AdoptionFailure extends Error {}
