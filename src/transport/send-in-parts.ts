/** Large answers to readers of any speed. */
import type { HttpResponse } from 'uWebSockets.js';

/**
 * Sends the body; a slow reader gets what its socket takes, and the rest waits here until that is writable again. Calls
 * `onSent` once, when the socket has all of it or the reader is gone.
 */
export function sendInParts(
  response: HttpResponse,
  body: Uint8Array,
  onAbort: (listener: () => void) => void,
  onSent: () => void,
): void {
  let isOver = false;
  const finish = (): void => {
    if (!isOver) onSent();
    isOver = true;
  };
  const [, isDone] = response.tryEnd(body, body.length);
  if (isDone) {
    finish();
    return;
  }
  onAbort(finish);
  response.onWritable((offset) => {
    const [taken, done] = response.tryEnd(body.subarray(offset), body.length);
    if (done) finish();
    return taken;
  });
}
