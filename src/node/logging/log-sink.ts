/** The log of a node: lines that come before it is open wait for that. */
import type { LogFields, Logger, LoggerName, LogLevel, LogLevels } from '../../base/logger.js';

export interface LogSinkOptions {
  readonly directory: string;
  readonly levels: LogLevels;
  readonly format: 'json' | 'plain';
  readonly nodeName: string;
  readonly fileBytesMax: number;
  readonly fileCountMax: number;
  /** Of all files together. */
  readonly totalBytesMax: number;
}

export interface LogSink extends Logger {
  setLevels(levels: LogLevels): void;
  close(): Promise<void>;
}

/** Lines kept while the log is not open yet; more are dropped. */
const PENDING_MAX = 1_000;

/** A log that can be written to before it is open. */
export class PendingLog implements Logger {
  private readonly pending: Parameters<Logger['log']>[] = [];
  private sink: LogSink | undefined;
  private levels: LogLevels | undefined;

  async open(options: LogSinkOptions): Promise<void> {
    // Loaded while the threads start.
    const { openLogSink } = await import('./open-log-sink.js');
    this.sink = await openLogSink(options);
    if (this.levels !== undefined) this.sink.setLevels(this.levels);
    for (const line of this.pending) this.sink.log(...line);
    this.pending.length = 0;
  }

  log(level: LogLevel, message: string, fields?: LogFields, name?: LoggerName): void {
    if (this.sink !== undefined) this.sink.log(level, message, fields, name);
    else if (this.pending.length < PENDING_MAX) this.pending.push([level, message, fields, name]);
  }

  /** Lines below the level of their logger are dropped from now on. */
  setLevels(levels: LogLevels): void {
    if (levels === this.levels) return;
    this.levels = levels;
    this.sink?.setLevels(levels);
  }

  /** Lines written so far are in the file when this resolves. */
  async close(): Promise<void> {
    await this.sink?.close();
  }
}
