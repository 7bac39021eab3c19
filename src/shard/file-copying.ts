/** Copies the files of a shard out of a repository while it is searched there, and has it read each file that is here. */
import type { Clock } from '../base/clock.js';
import { asQuarryError } from '../base/error-wire.js';
import type { Logger } from '../base/logger.js';
import type { MissingPiece, RemoteFiles } from '../native/remote-files.js';
import type { NativeShard } from '../native/shard.js';
import type { RecoveryProgress } from './recovery-progress.js';
import type { Pace } from './replication/push-segments.js';

export interface FileCopyingServices {
  readonly clock: Clock;
  readonly logger: Logger;
  readonly recovery: RecoveryProgress;
  /** What is fetched at once. */
  readonly pieceBytes: number;
  /** Waits behind so many bytes; resolves with the time, milliseconds. */
  readonly pace: Pace;
}

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
  readonly #remote: RemoteFiles;
  readonly #services: FileCopyingServices;
  /** Bytes by file that are to be read there still. */
  readonly #missing: Map<string, number>;
  readonly #received = new Map<string, number>();
  #throttledMs = 0;
  #failures = 0;
  #isClosed = false;
  #close: () => void = () => undefined;
  readonly #closing = new Promise<void>((resolve) => {
    this.#close = resolve;
  });

  /** `name` of the shard is for the log. The recovery is not done before the copying is. */
  constructor(
    name: string,
    native: Pick<NativeShard, 'adoptFile' | 'endAdoption'>,
    remote: RemoteFiles,
    services: FileCopyingServices,
  ) {
    this.#native = native;
    this.#remote = remote;
    this.#services = services;
    this.#missing = new Map(remote.files().map((file) => [file.name, file.length] as const));
    this.ended = this.#run(name);
  }

  /** Resolves when nothing of it works any more. */
  close(): Promise<void> {
    this.#isClosed = true;
    this.#close();
    return this.ended;
  }

  async #run(name: string): Promise<void> {
    const { logger, recovery } = this.#services;
    while (!this.#isClosed) {
      try {
        await this.#copyMissing();
        for (const file of this.#missing.keys()) await this.#adoptIfComplete(file);
        if (this.#missing.size === 0) {
          this.#native.endAdoption();
          recovery.copied();
          return;
        }
        await this.#pause(LOOK_MS);
      } catch (error) {
        const { type, message } = asQuarryError(error);
        const retryMs = Math.min(RETRY_MS * 2 ** this.#failures++, RETRY_MS_MAX);
        logger.log('warn', 'files of a mounted shard cannot be copied yet', {
          shard: name,
          type,
          reason: message,
          retryMs,
        });
        await this.#pause(retryMs);
      }
    }
  }

  /** Until nothing is missing but what searches fetch. Throws what the first lane met that failed, when all have ended. */
  async #copyMissing(): Promise<void> {
    const lanes = await Promise.allSettled(Array.from({ length: LANES }, () => this.#lane()));
    const failed = lanes.find((lane) => lane.status === 'rejected');
    if (failed !== undefined) throw failed.reason;
  }

  async #lane(): Promise<void> {
    while (!this.#isClosed) {
      const piece = this.#remote.takeMissing(this.#services.pieceBytes);
      if (piece === undefined) return;
      await this.#remote.supply(piece, await this.#read(piece));
      this.#failures = 0;
      this.#note(piece.file, (this.#received.get(piece.file) ?? 0) + piece.length);
      await this.#adoptIfComplete(piece.file);
      // Behind the piece: searches that need some of it wait for as long as it is taken.
      await this.#keepPace(piece.length);
    }
  }

  /** Ends early where searches had the rest fetched. */
  async #keepPace(bytes: number): Promise<void> {
    const passed = this.#services.pace(bytes).then((ms) => {
      this.#throttledMs += ms;
      return true;
    });
    const isMissing = (file: string): boolean => !this.#remote.isComplete(file);
    for (;;) {
      const looked = this.#pause(PACE_LOOK_MS).then(() => false);
      if (await Promise.race([passed, looked])) return;
      if (this.#isClosed || ![...this.#missing.keys()].some(isMissing)) return;
    }
  }

  /** What cannot be read is left to others. */
  async #read(piece: MissingPiece): Promise<Uint8Array> {
    try {
      return await this.#remote.read(piece.file, piece.offset, piece.length);
    } catch (error) {
      this.#remote.leave(piece);
      throw error;
    }
  }

  async #adoptIfComplete(file: string): Promise<void> {
    const length = this.#missing.get(file);
    if (length === undefined || !this.#remote.isComplete(file)) return;
    this.#missing.delete(file);
    try {
      await this.#native.adoptFile(file);
    } catch (error) {
      this.#missing.set(file, length);
      throw error;
    }
    this.#note(file, length);
  }

  #note(file: string, bytes: number): void {
    this.#received.set(file, bytes);
    this.#services.recovery.received(file, bytes, this.#throttledMs);
  }

  async #pause(durationMs: number): Promise<void> {
    let cancel: () => void = () => undefined;
    const passed = new Promise<void>((resolve) => {
      cancel = this.#services.clock.schedule(durationMs, resolve);
    });
    await Promise.race([passed, this.#closing]);
    cancel();
  }
}
