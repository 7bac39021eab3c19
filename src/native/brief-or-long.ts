/**
 * Searches are carried out at once where that takes a few milliseconds. What takes longer, or is expected to by what searches like it took, goes
 * on (from its beginning) on a native thread, so that the worker stays free for what is cheap.
 */
import { must } from '../base/assert.js';
import type { Cancellation } from '../base/cancellation.js';
import type { Clock } from '../base/clock.js';
import { native } from './addon.js';
import { fromNative, guarded, guardedUntil } from './errors.js';
import type { RawFlag } from './raw-addon.js';

/** What a search looks at while it runs. */
export interface Attended {
  readonly cancellation: Cancellation;
  readonly clock: Clock;
  /** Everybody waits for this thread: it carries out nothing that may last. Absent: others can do without it. */
  readonly isNear?: boolean;
}

/** Nobody waits for a search on another thread for longer, once it was cancelled. */
const CANCELLATION_SEEN_MS = 10;
/** So often it is looked whether there is room on other threads. */
const ROOM_SEEN_MS = 5;

/** One kind of search, called in the two ways that the add-on has. */
export interface Callable<Raw> {
  /** Null where it takes longer, unless it `mayLast`. */
  readonly now: (cancelled: Int32Array, mayLast: boolean) => Raw | null;
  /** Null where there is no room for it. */
  readonly later: (flag: RawFlag) => Promise<Raw> | null;
}

export function briefOrLong<Raw>(call: Callable<Raw>, attended: Attended): Raw | Promise<Raw> {
  const found = guardedUntil(attended.cancellation, (word) => call.now(word, false));
  return found ?? long(call, attended);
}

async function long<Raw>(call: Callable<Raw>, { cancellation, clock, isNear = false }: Attended): Promise<Raw> {
  const flag = new (native().NativeFlag)();
  cancellation.noteLong();
  let running = guarded(() => call.later(flag));
  while (running === null && isNear) {
    await new Promise<void>((resolve) => void clock.schedule(ROOM_SEEN_MS, resolve));
    cancellation.throwIfCancelled();
    running = guarded(() => call.later(flag));
  }
  // All threads are busy and enough waits for them: who asks for more carries it out.
  if (running === null) {
    return must(
      guardedUntil(cancellation, (word) => call.now(word, true)),
      'what a search finds that may last',
    );
  }
  let stop: () => void = () => undefined;
  const cancelled = new Promise<never>((_resolve, reject) => {
    const watch = (): void => {
      try {
        cancellation.throwIfCancelled();
        stop = clock.schedule(CANCELLATION_SEEN_MS, watch);
      } catch (error) {
        flag.raise();
        reject(fromNative(error));
      }
    };
    watch();
  });
  // The thread ends in its own time, or has not begun yet.
  running.catch(() => undefined);
  try {
    return await Promise.race([running, cancelled]);
  } catch (thrown) {
    throw fromNative(thrown);
  } finally {
    stop();
  }
}
