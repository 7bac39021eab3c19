/**
 * What any room may say to the log. The sink is made once, by the node; other threads send their lines to it. Each line has the name of
 * a logger, so that one part of the program can be made to tell more, or less, than the others.
 */
import { illegalArgument } from './errors.js';

export const LOG_LEVELS = ['trace', 'debug', 'info', 'warn', 'error'] as const;
export type LogLevel = (typeof LOG_LEVELS)[number];

/** Structured members of a line. Never put secrets or document contents here. */
export type LogFields = Readonly<Record<string, string | number | boolean | null | undefined>>;

/**
 * The names of loggers: those of the packages in which the references have the same. A dot leads to what is below: a level of `cluster`
 * holds for `cluster.coordination` as well.
 */
export const LOGGERS = [
  'cluster',
  'cluster.coordination',
  'cluster.routing.allocation',
  'deprecation',
  'discovery',
  'http',
  'ilm',
  'index',
  'index.indexing.slowlog',
  'index.search.slowlog',
  'node',
  'rest',
  'slm',
  'snapshots',
  'tasks',
] as const;
export type LoggerName = (typeof LOGGERS)[number];

export interface Logger {
  /** `name` is that of the logger; without one it is that of whoever made this. */
  log(level: LogLevel, message: string, fields?: LogFields, name?: LoggerName): void;
}

export const silentLogger: Logger = { log: () => undefined };

/** The same log under a name, for lines that have none of their own. */
export function named(logger: Logger, name: LoggerName): Logger {
  return {
    log: (level, message, fields, own) => {
      logger.log(level, message, fields, own ?? name);
    },
  };
}

/** Of all loggers. */
const ROOT = '';
const SETTING_PREFIX = 'logger.';
const ROOT_SETTING = '_root';
/** What the references put before the names of their packages. */
const PACKAGES = /^org\.(?:elasticsearch|opensearch)(?:\.|$)/;

/** Levels by name of the logger, `''` for all. */
export type LogLevels = ReadonlyMap<string, LogLevel>;

/**
 * The logger that a setting is about: `logger._root`, `logger.cluster`, `logger.org.elasticsearch.cluster`. Throws where nothing is
 * logged under that name.
 */
export function loggerOfSetting(key: string): string {
  const name = key.slice(SETTING_PREFIX.length).replace(PACKAGES, '');
  if (name === ROOT_SETTING || name === ROOT) return ROOT;
  if (LOGGERS.some((logger) => logger === name || logger.startsWith(`${name}.`))) return name;
  throw illegalArgument(
    `setting [${key}] names no logger: there are [${ROOT_SETTING}, ${LOGGERS.join(', ')}], with or without ` +
      '[org.elasticsearch.] or [org.opensearch.] before them',
  );
}

export function parseLogLevel(text: string): LogLevel {
  const level = LOG_LEVELS.find((known) => known === text.toLowerCase());
  if (level !== undefined) return level;
  throw illegalArgument(`Unknown level constant [${text}]: expected is one of [ERROR, WARN, INFO, DEBUG, TRACE]`);
}

/** The level of a logger: its own, else the nearest above it, else that of all. */
export function levelOf(levels: LogLevels, name: LoggerName): LogLevel {
  for (let part: string = name; ; part = part.slice(0, part.lastIndexOf('.'))) {
    const level = levels.get(part);
    if (level !== undefined) return level;
    if (!part.includes('.')) return levels.get(ROOT) ?? 'info';
  }
}
