/** Lines that go to files which follow each other, without anybody waiting for a disk; what it does not take in time is dropped and counted. */
import { once } from 'node:events';
import type { destination } from 'pino';
import { must } from '../../base/assert.js';
import { systemClock } from '../../base/clock.js';
import { RollingFile, type RollingFileOptions } from '../../store/rolling-file.js';

/** What waits for a disk that takes nothing; more is dropped. */
export const WAITING_BYTES_MAX = 16 * 1024 * 1024;

export interface RollingLogOptions extends Omit<RollingFileOptions, 'clock'> {
  /** What standard error is told that it is of. */
  readonly what: string;
}

type Stream = ReturnType<typeof destination>;

export class RollingLog {
  private readonly file: RollingFile;
  private readonly stream: Stream;
  private readonly what: string;
  private droppedCount = 0;
  private isTold = false;

  private constructor(file: RollingFile, stream: Stream, what: string) {
    this.file = file;
    this.stream = stream;
    this.what = what;
    stream.on('error', (error: Error) => {
      this.tell(`cannot write ${what}: ${error.message}`);
    });
    stream.on('drop', () => {
      this.droppedCount++;
    });
  }

  /** Rejects when the file cannot be opened. */
  static async open(options: RollingLogOptions): Promise<RollingLog> {
    const { destination: open } = await import('pino');
    let opened: Stream | undefined;
    const file = new RollingFile({ ...options, clock: systemClock }, (path) => {
      opened = open({ dest: path, mkdir: true, sync: false, maxLength: WAITING_BYTES_MAX });
      return opened;
    });
    const stream = must(opened, 'the stream of an open log');
    await once(stream, 'ready');
    return new RollingLog(file, stream, options.what);
  }

  /** Lines that were lost since it was opened. */
  get dropped(): number {
    return this.droppedCount;
  }

  /** `line` ends with its own line end. */
  write(line: string): void {
    this.file.write(line);
  }

  /** Resolves when all lines are written, or cannot be. */
  async close(): Promise<void> {
    const { stream } = this;
    await new Promise<void>((resolve) => {
      stream.once('close', resolve);
      stream.once('error', () => {
        resolve();
      });
      stream.end();
    });
    if (this.droppedCount > 0) process.stderr.write(`quarry: [${this.droppedCount}] lines of ${this.what} were lost\n`);
  }

  /** On standard error, once: the node goes on, and writes when that is possible again. */
  private tell(message: string): void {
    if (this.isTold) return;
    this.isTold = true;
    process.stderr.write(`quarry: ${message}\n`);
  }
}
