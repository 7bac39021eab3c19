/** Frees all that nothing holds, so that a test sees what is held. */
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

export async function collectGarbage(): Promise<void> {
  setFlagsFromString('--expose-gc');
  const collect = runInNewContext('gc') as () => void;
  // What a WeakRef was asked for lives until the turn of the loop ends.
  await new Promise((resolve) => setImmediate(resolve));
  collect();
}
