/** Subjects as text: it is made once for many requests, and crosses threads and nodes as it is. */
import { CacheCounter } from '../../base/cache-counters.js';
import { QuarryError } from '../../base/errors.js';
import { isJsonObject } from '../../base/json-value.js';
import { Memo } from '../../base/memo.js';
import type { Subject } from './subject.js';

/** Of a request that nobody has to be asked about: security is off, or the node works for itself. */
export const NO_SUBJECT = '';

const recent = new Memo<Subject>({ counter: new CacheCounter('subjects'), valuesMax: 1_024, textMax: 64 * 1024 });

export function subjectText(subject: Subject): string {
  return JSON.stringify(subject);
}

/** The same object for the same text, most of the time: what is made of it can be kept by it. Undefined for {@link NO_SUBJECT}. */
export function readSubject(text: string): Subject | undefined {
  return text === NO_SUBJECT ? undefined : recent.get(text, () => parse(text));
}

function parse(text: string): Subject {
  const value: unknown = JSON.parse(text);
  // Written by this node or another of its cluster.
  if (isJsonObject(value) && typeof value['username'] === 'string') return value as unknown as Subject;
  throw new QuarryError('transport_serialization_exception', 'who sent a request cannot be read');
}
