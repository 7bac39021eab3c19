/** The one place that writes log files: structured lines, a new file each day or when it is full, old ones removed. */
import { pino, type Logger as PinoLogger } from 'pino';
import roll from 'pino-roll';
import { join } from 'node:path';
import type { LogFields, Logger, LogLevel } from '../base/logger.js';

export interface LogSinkOptions {
  readonly directory: string;
  readonly level: LogLevel;
  readonly nodeName: string;
  readonly fileBytesMax: number;
  readonly fileCountMax: number;
}

export interface LogSink extends Logger {
  /** Lines written so far are in the file when this resolves. */
  close(): Promise<void>;
}

export async function openLogSink(options: LogSinkOptions): Promise<LogSink> {
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
  const logger: PinoLogger = pino(
    { level: options.level, base: { node: options.nodeName }, timestamp: pino.stdTimeFunctions.isoTime },
    stream,
  );
  return {
    log: (level: LogLevel, message: string, fields?: LogFields) => {
      logger[level](fields ?? {}, message);
    },
    close: () =>
      new Promise((resolve) => {
        stream.once('close', resolve);
        stream.end();
      }),
  };
}
