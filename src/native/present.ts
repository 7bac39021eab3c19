/** Calls that read files of a repository: what is missing is fetched, and the call repeated. */
import { QuarryError } from '../base/errors.js';

/**
 * The answer of a call that changes nothing; later where it needs parts of files that are not here yet. Searches that may take
 * long need no such care: they go to threads that may wait.
 */
export function present<Output>(call: () => Output): Output | Promise<Output> {
  try {
    return call();
  } catch (error) {
    if (!(error instanceof QuarryError && error.type === 'blocks_absent_exception')) throw error;
    return repeat(call, error);
  }
}

async function repeat<Output>(call: () => Output, error: QuarryError): Promise<Output> {
  const { withBlocks } = await import('./shared-cache.js');
  return withBlocks(call, error);
}
