/** The one place that writes log files: structured lines, a new file each day or when it is full, old ones removed. */
import { once } from 'node:events';
import type { destination } from 'pino';
import { must } from '../../base/assert.js';
import { systemClock } from '../../base/clock.js';
import {
  levelOf,
  LOG_LEVELS,
  type LogFields,
  type Logger,
  type LoggerName,
  type LogLevel,
  type LogLevels,
} from '../../base/logger.js';
import { RollingFile } from '../../store/rolling-file.js';

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

interface LogSink extends Logger {
  setLevels(levels: LogLevels): void;
  close(): Promise<void>;
}

/** Lines kept while the log is not open yet; more are dropped. */
const PENDING_MAX = 1_000;
/** What waits for a disk that takes nothing; more is dropped. */
const WAITING_BYTES_MAX = 16 * 1024 * 1024;

/** A log that can be written to before it is open. */
export class PendingLog implements Logger {
  private readonly pending: Parameters<Logger['log']>[] = [];
  private sink: LogSink | undefined;
  private levels: LogLevels | undefined;

  async open(options: LogSinkOptions): Promise<void> {
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

async function openLogSink(options: LogSinkOptions): Promise<LogSink> {
  const { destination, pino, stdTimeFunctions } = await import('pino');
  let stream: Stream | undefined;
  const file = new RollingFile(
    {
      ...options,
      name: 'quarry',
      clock: systemClock,
      onError: (error) => {
        log('warn', 'an old log file stays', { reason: error.message });
      },
    },
    (path) => {
      stream = destination({ dest: path, mkdir: true, sync: false, maxLength: WAITING_BYTES_MAX });
      return stream;
    },
  );
  const failures = await LogFailures.of(must(stream, 'the stream of an open log'));
  const plainLine = options.format === 'plain' ? (await import('./plain-line.js')).plainLine : undefined;
  let { levels } = options;
  const json = pino(
    { level: 'trace', base: { node: options.nodeName }, timestamp: stdTimeFunctions.isoTime },
    {
      write: (line) => {
        file.write(line);
      },
    },
  );
  const log = (level: LogLevel, message: string, fields?: LogFields, logger: LoggerName = 'node'): void => {
    if (LOG_LEVELS.indexOf(level) < LOG_LEVELS.indexOf(levelOf(levels, logger))) return;
    if (plainLine === undefined) json[level]({ logger, ...fields }, message);
    else file.write(plainLine({ nowMs: systemClock.nowMs(), level, logger, node: options.nodeName, message, fields }));
  };
  return {
    log,
    setLevels: (wanted: LogLevels) => {
      levels = wanted;
    },
    close: () => failures.end(),
  };
}

type Stream = ReturnType<typeof destination>;

/** Tells on standard error, once, that lines cannot be written: the node goes on, and writes them when that is possible again. */
class LogFailures {
  private readonly stream: Stream;
  private dropped = 0;
  private isTold = false;

  private constructor(stream: Stream) {
    this.stream = stream;
    stream.on('error', (error: Error) => {
      this.tell(`cannot write the log: ${error.message}`);
    });
    stream.on('drop', () => {
      this.dropped++;
    });
  }

  /** Rejects when the file cannot be opened. */
  static async of(stream: Stream): Promise<LogFailures> {
    await once(stream, 'ready');
    return new LogFailures(stream);
  }

  /** Resolves when all lines are written, or cannot be. */
  async end(): Promise<void> {
    const { stream } = this;
    await new Promise<void>((resolve) => {
      stream.once('close', resolve);
      stream.once('error', () => {
        resolve();
      });
      stream.end();
    });
    if (this.dropped > 0) process.stderr.write(`quarry: [${this.dropped}] lines of the log were lost\n`);
  }

  private tell(what: string): void {
    if (this.isTold) return;
    this.isTold = true;
    process.stderr.write(`quarry: ${what}\n`);
  }
}
