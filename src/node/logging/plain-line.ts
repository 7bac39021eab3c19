/** Lines of the log for people: time, level, logger, node, message, then members by name. */
import type { LogFields, LoggerName, LogLevel } from '../../base/logger.js';

const LEVEL_WIDTH = 5;
/** Texts that need no quotes. */
const BARE = /^[^\s"=[\]]+$/;

export interface PlainLine {
  readonly nowMs: number;
  readonly level: LogLevel;
  readonly logger: LoggerName;
  readonly node: string;
  readonly message: string;
  readonly fields: LogFields | undefined;
}

/** One line, whatever is in it. */
export function plainLine({ nowMs, level, logger, node, message, fields = {} }: PlainLine): string {
  const time = new Date(nowMs).toISOString();
  const members = Object.entries(fields).map(([name, value]) =>
    value === undefined ? '' : ` ${name}=${shown(value)}`,
  );
  const head = `[${time}][${level.toUpperCase().padEnd(LEVEL_WIDTH)}][${logger}] [${node}]`;
  return `${head} ${oneLine(message)}${members.join('')}\n`;
}

function shown(value: string | number | boolean | null): string {
  return typeof value === 'string' && !BARE.test(value) ? JSON.stringify(value) : String(value);
}

function oneLine(text: string): string {
  return text.replaceAll(/[\r\n]+/g, ' ');
}
