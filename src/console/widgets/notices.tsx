/** Short words about what a click has done. */
import type { VNode } from 'preact';
import { Failure } from '../api/client.js';
import { Store, useStore } from '../store.js';

interface Notice {
  readonly number: number;
  readonly text: string;
  readonly isBad: boolean;
}

const SHOWN_MS = 8_000;
const NOTICES_MAX = 4;

const notices = new Store<readonly Notice[]>([]);
let next = 0;

export function tell(text: string, isBad = false): void {
  const notice = { number: next++, text, isBad };
  notices.set([...notices.current, notice].slice(-NOTICES_MAX));
  window.setTimeout(() => {
    notices.set(notices.current.filter((each) => each !== notice));
  }, SHOWN_MS);
}

/** Carries something out and tells how it went. Resolves whether it went well. */
export async function carryOut(what: string, work: () => Promise<void>): Promise<boolean> {
  try {
    await work();
    tell(`${what}: done.`);
    return true;
  } catch (error) {
    const failure = error instanceof Failure ? error : new Failure(String(error));
    tell(`${what}: ${failure.status === 403 ? 'you are not allowed to. ' : ''}${failure.message}`, true);
    return false;
  }
}

export function Notices(): VNode {
  return (
    <div class="notices" role="status" aria-live="polite">
      {useStore(notices).map(({ number, text, isBad }) => (
        <p key={number} class={isBad ? 'bad' : 'good'}>
          {text}
        </p>
      ))}
    </div>
  );
}
