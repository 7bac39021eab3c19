/** What any room may say to the log. The sink is made once, by the node; other threads send their lines to it. */
export const LOG_LEVELS = ['trace', 'debug', 'info', 'warn', 'error'] as const;
export type LogLevel = (typeof LOG_LEVELS)[number];

/** Structured members of a line. Never put secrets or document contents here. */
export type LogFields = Readonly<Record<string, string | number | boolean | null | undefined>>;

export interface Logger {
  log(level: LogLevel, message: string, fields?: LogFields): void;
}

export const silentLogger: Logger = { log: () => undefined };
