/** A question about tasks as another node sent it: nothing of its shape is taken for granted. */
import { illegalArgument, type QuarryError } from '../errors.js';
import { isJsonObject } from '../json-value.js';
import type { TaskFilter, TaskQuestion } from './task.js';

export function readTaskQuestion(value: unknown): TaskQuestion {
  if (!isJsonObject(value)) throw malformed('it is no object');
  const { kind } = value;
  switch (kind) {
    case 'list':
      return { kind, filter: readFilter(value['filter']), detailed: value['detailed'] === true };
    case 'cancel':
      return {
        kind,
        filter: readFilter(value['filter']),
        waits: value['waits'] === true,
        timeoutMs: readTimeout(value['timeoutMs']),
      };
    case 'rethrottle':
      return { kind, number: readNumber(value['number']), perSecond: readNumber(value['perSecond']) };
    case 'await':
      return { kind, numbers: readList(value['numbers']).map(readNumber), timeoutMs: readTimeout(value['timeoutMs']) };
    default:
      throw malformed('its kind is unknown');
  }
}

/** Of a node that does not say how long it waits. */
const WAIT_MS = 30_000;

function readTimeout(value: unknown): number {
  return value === undefined ? WAIT_MS : readNumber(value);
}

function readFilter(value: unknown): TaskFilter {
  if (!isJsonObject(value)) throw malformed('it has no filter');
  const { number, actions, parent } = value;
  return {
    ...(number === undefined ? {} : { number: readNumber(number) }),
    ...(actions === undefined ? {} : { actions: readList(actions).map(readText) }),
    ...(parent === undefined ? {} : { parent: readText(parent) }),
  };
}

function readList(value: unknown): readonly unknown[] {
  if (Array.isArray(value)) return value;
  throw malformed('a list is missing');
}

function readNumber(value: unknown): number {
  if (typeof value === 'number' && !Number.isNaN(value)) return value;
  throw malformed('a number is missing');
}

function readText(value: unknown): string {
  if (typeof value === 'string') return value;
  throw malformed('a text is missing');
}

function malformed(why: string): QuarryError {
  return illegalArgument(`the question of another node about tasks cannot be read: ${why}`);
}
