/** The one place that writes log files: structured lines, a new file each day or when it is full, old ones removed. */
import { join } from 'node:path';
import type { LogFields, Logger, LogLevel } from '../base/logger.js';

export interface LogSinkOptions {
  readonly directory: string;
  readonly level: LogLevel;
  readonly nodeName: string;
  readonly fileBytesMax: number;
  readonly fileCountMax: number;
}

interface LogSink extends Logger {
  setLevel(level: LogLevel): void;
  close(): Promise<void>;
}

/** Lines kept while the log is not open yet; more are dropped. */
const PENDING_MAX = 1_000;

/** A log that can be written to before it is open. */
export class PendingLog implements Logger {
  private readonly pending: Parameters<Logger['log']>[] = [];
  private sink: LogSink | undefined;
  private level: LogLevel | undefined;

  async open(options: LogSinkOptions): Promise<void> {
    this.sink = await openLogSink(options);
    if (this.level !== undefined) this.sink.setLevel(this.level);
    for (const line of this.pending) this.sink.log(...line);
    this.pending.length = 0;
  }

  log(level: LogLevel, message: string, fields?: LogFields): void {
    if (this.sink !== undefined) this.sink.log(level, message, fields);
    else if (this.pending.length < PENDING_MAX) this.pending.push([level, message, fields]);
  }

  /** Lines below it are dropped from now on. */
  setLevel(level: LogLevel): void {
    if (level === this.level) return;
    this.level = level;
    this.sink?.setLevel(level);
  }

  /** Lines written so far are in the file when this resolves. */
  async close(): Promise<void> {
    await this.sink?.close();
  }
}

async function openLogSink(options: LogSinkOptions): Promise<LogSink> {
  const [{ pino }, { default: roll }] = await Promise.all([import('pino'), import('pino-roll')]);
  const stream = await roll({
    file: join(options.directory, 'quarry'),
    extension: '.log',
    frequency: 'daily',
    dateFormat: 'yyyy-MM-dd',
    size: `${Math.max(1, Math.floor(options.fileBytesMax / 1024))}k`,
    limit: { count: options.fileCountMax, removeOtherLogFiles: true },
    mkdir: true,
    sync: false,
  });
  const logger = pino(
    { level: options.level, base: { node: options.nodeName }, timestamp: pino.stdTimeFunctions.isoTime },
    stream,
  );
  return {
    log: (level: LogLevel, message: string, fields?: LogFields) => {
      logger[level](fields ?? {}, message);
    },
    setLevel: (level: LogLevel) => {
      logger.level = level;
    },
    close: () =>
      new Promise((resolve) => {
        stream.once('close', resolve);
        stream.end();
      }),
  };
}
