import { describe, expect, it } from 'vitest';
import type { Clock } from '../../src/base/clock.js';
import { QuarryError } from '../../src/base/errors.js';
import { Lanes } from '../../src/base/lanes.js';
import { silentLogger } from '../../src/base/logger.js';
import type { MissingPiece } from '../../src/native/remote-files.js';
import { FileCopying } from '../../src/shard/file-copying.js';
import { RecoveryProgress } from '../../src/shard/recovery-progress.js';

const PIECE = 10;
const BYTES = 65;
/** Who waits for the pace looks so often whether that is needed still. */
const LOOK_MS = 500;
const LENGTHS: Readonly<Record<string, number>> = { a: 25, b: 40 };

/** Waits end when they are told to. */
class Waits implements Clock {
  readonly asked: number[] = [];
  readonly #pending = new Set<() => void>();

  nowMs(): number {
    return 0;
  }

  monotonicMs(): number {
    return 0;
  }

  schedule(delayMs: number, action: () => void): () => void {
    this.asked.push(delayMs);
    this.#pending.add(action);
    return () => this.#pending.delete(action);
  }

  get count(): number {
    return this.#pending.size;
  }

  get retries(): readonly number[] {
    return this.asked.filter((delayMs) => delayMs !== LOOK_MS);
  }

  pass(): void {
    const passed = [...this.#pending];
    this.#pending.clear();
    for (const action of passed) action();
  }
}

/** Parts are single bytes here. `read` may be another one. */
class Remote {
  readonly present = new Map(Object.keys(LENGTHS).map((name) => [name, new Set<number>()] as const));
  readonly taken = new Set<string>();
  read = (_file: string, _offset: number, length: number): Promise<Uint8Array> =>
    Promise.resolve(new Uint8Array(length));

  files() {
    return Object.entries(LENGTHS).map(([name, length]) => ({
      name,
      length,
      partBytes: 1,
      checksums: new Uint8Array(),
    }));
  }

  takeMissing(bytes: number): MissingPiece | undefined {
    for (const [file, length] of Object.entries(LENGTHS)) {
      for (let offset = 0; offset < length; offset += bytes) {
        const isFree = !this.taken.has(`${file}-${offset}`) && this.present.get(file)?.has(offset) !== true;
        if (!isFree) continue;
        this.taken.add(`${file}-${offset}`);
        return { file, offset, length: Math.min(bytes, length - offset) };
      }
    }
    return undefined;
  }

  supply({ file, offset, length }: MissingPiece): Promise<void> {
    for (let at = offset; at < offset + length; at++) this.present.get(file)?.add(at);
    return Promise.resolve();
  }

  leave({ file, offset }: MissingPiece): void {
    this.taken.delete(`${file}-${offset}`);
  }

  isComplete(file: string): boolean {
    return this.present.get(file)?.size === LENGTHS[file];
  }
}

function copying(
  changes: { readonly adoptFile?: (name: string) => Promise<void>; readonly pace?: Promise<number> } = {},
) {
  const clock = new Waits();
  const remote = new Remote();
  const origin = { type: 'SNAPSHOT', primary: true, source: undefined, target: undefined } as const;
  const recovery = new RecoveryProgress(origin, clock);
  const adopted: string[] = [];
  const failures: string[] = [];
  const seen = { hasEnded: false, pacedBytes: 0 };
  const native = {
    adoptFile: (name: string): Promise<void> => {
      adopted.push(name);
      return changes.adoptFile?.(name) ?? Promise.resolve();
    },
    endAdoption: (): void => {
      seen.hasEnded = true;
    },
  };
  const files = remote.files();
  recovery.planFiles(files, new Set(files.map(({ name }) => name)));
  recovery.copying();
  recovery.enter('FINALIZE');
  recovery.enter('DONE');
  const start = (): FileCopying =>
    new FileCopying('[index][0]', native, remote, {
      clock,
      logger: silentLogger,
      recovery,
      turns: new Lanes(4),
      onFailure: (reason) => failures.push(reason),
      pieceBytes: PIECE,
      pace: (bytes) => {
        seen.pacedBytes += bytes;
        return changes.pace ?? Promise.resolve(0);
      },
    });
  return { clock, remote, recovery, adopted, failures, seen, start };
}

/** Until what is waited for came, or nothing but waits is left. */
async function settled(): Promise<void> {
  for (let turn = 0; turn < 100; turn++) await Promise.resolve();
}

describe('files of a shard that serves', () => {
  it('come piece by piece, are adopted once each, and then the recovery is done', async () => {
    const { recovery, adopted, seen, start, clock } = copying();
    expect(recovery.report().stage).toBe('FINALIZE');
    await start().ended;
    expect(adopted.sort()).toEqual(['a', 'b']);
    expect(seen.hasEnded).toBe(true);
    const { stage, files } = recovery.report();
    expect(stage).toBe('DONE');
    expect(files.map(({ length, recovered }) => recovered - length)).toEqual([0, 0]);
    expect(clock.count).toBe(0);
    expect(seen.pacedBytes).toBe(BYTES);
  });

  it('are tried again after a failure, later each time, and a minute later at most', async () => {
    const { remote, clock, seen, start } = copying();
    const { read } = remote;
    remote.read = () => Promise.reject(new Error('the store is gone'));
    const subject = start();
    for (let tries = 0; tries < 9; tries++) {
      await settled();
      clock.pass();
    }
    expect(clock.retries).toEqual([1_000, 2_000, 4_000, 8_000, 16_000, 32_000, 60_000, 60_000, 60_000]);
    remote.read = read;
    await settled();
    clock.pass();
    await subject.ended;
    expect(seen.hasEnded).toBe(true);
    // What failed was not copied.
    expect(seen.pacedBytes).toBe(BYTES);
  });

  it('of which the store has less than it should are not taken', async () => {
    const { remote, clock, seen, start } = copying();
    remote.read = (_file, _offset, length) => Promise.resolve(new Uint8Array(length - 1));
    const subject = start();
    await settled();
    expect(clock.retries).toEqual([1_000]);
    expect(remote.taken.size).toBe(0);
    await subject.close();
    expect(seen.hasEnded).toBe(false);
  });

  it('are given up at once when the shard is closed, whatever the store does', async () => {
    const { remote, adopted, start, clock } = copying();
    remote.read = () => new Promise(() => undefined);
    const subject = start();
    await settled();
    await subject.close();
    expect([remote.taken.size, adopted.length, clock.count]).toEqual([0, 0, 0]);
  });

  it('are not waited for when the shard is closed while one is proved', async () => {
    const { adopted, seen, start } = copying({ adoptFile: () => new Promise(() => undefined) });
    const subject = start();
    await settled();
    await subject.close();
    expect(adopted.length).toBeGreaterThan(0);
    expect(seen.hasEnded).toBe(false);
  });

  it('fail the shard where a whole one cannot be used, once', async () => {
    const { failures, seen, start } = copying({
      adoptFile: () => Promise.reject(new QuarryError('i_o_exception', 'no space')),
    });
    await start().ended;
    expect(failures).toEqual([expect.stringMatching(/^\[[ab]\] was copied and cannot be used: no space$/)]);
    expect(seen.hasEnded).toBe(false);
  });

  it('are paced from the first piece on, until searches had the rest fetched', async () => {
    const { remote, clock, seen, start } = copying({ pace: new Promise(() => undefined) });
    const subject = start();
    await settled();
    expect(clock.asked).toEqual([LOOK_MS, LOOK_MS]);
    expect(remote.taken.size).toBe(0);
    for (const [file, length] of Object.entries(LENGTHS)) await remote.supply({ file, offset: 0, length });
    clock.pass();
    await subject.ended;
    expect(seen.hasEnded).toBe(true);
  });
});
