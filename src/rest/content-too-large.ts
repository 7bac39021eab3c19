/** By itself, for the front, which reads no bodies. */
import { QuarryError } from '../base/errors.js';

export function contentTooLarge(bytesMax: number): QuarryError {
  const reason = `the body exceeds [http.max_content_length] of [${bytesMax}] bytes`;
  return new QuarryError('content_too_large_exception', reason);
}
