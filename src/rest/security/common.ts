/** What the endpoints of security have in common. */
import type { ActionContext } from '../../actions/context.js';
import { must } from '../../base/assert.js';
import { QuarryError } from '../../base/errors.js';
import type { Subject } from '../../cluster/security/subject.js';
import { enumParameter } from '../parameters.js';

export const SECURITY_ENDPOINT = { pool: 'management', placement: 'any' } as const;

/** What is changed can be seen at once, whatever is asked for. */
export const refreshParameters = { refresh: enumParameter(['true', 'false', 'wait_for', '']) } as const;

/** Who sends the request. */
export function sender({ subject }: ActionContext): Subject {
  return must(subject, 'subject of a request to security');
}

/** `validation_exception` with all that is wrong; nothing where nothing is. */
export function refuseInvalid(
  problems: readonly string[],
  type: 'validation_exception' | 'action_request_validation_exception',
): void {
  if (problems.length === 0) return;
  const list = problems.map((problem, at) => `${at + 1}: ${problem};`).join('');
  throw new QuarryError(type, `Validation Failed: ${list}`);
}
