/** What is refused to who may not read everything. */
import { QuarryError } from '../../../base/errors.js';

const BAD_REQUEST = 400;

export function refusedToReader(what: string): QuarryError {
  return new QuarryError('security_exception', what, { status: BAD_REQUEST });
}
