/** The one place that writes lines of the log: structured ones, or such as people read. */
import { systemClock } from '../../base/clock.js';
import {
  levelOf,
  LOG_LEVELS,
  type LogFields,
  type LoggerName,
  type LogLevel,
  type LogLevels,
} from '../../base/logger.js';
import type { LogSink, LogSinkOptions } from './log-sink.js';
import { RollingLog } from './rolling-log.js';

/** Rejects when its file cannot be opened. */
export async function openLogSink(options: LogSinkOptions): Promise<LogSink> {
  const { pino, stdTimeFunctions } = await import('pino');
  const file = await RollingLog.open({
    ...options,
    name: 'quarry',
    what: 'the log',
    onError: (error) => {
      log('warn', 'an old log file stays', { reason: error.message });
    },
  });
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
    close: () => file.close(),
  };
}
