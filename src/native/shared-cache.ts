/** The cache file of a node, through which files of repositories are read. */
import { QuarryError } from '../base/errors.js';
import { Lanes } from '../base/lanes.js';
import { native } from './addon.js';
import { guarded, guardedAsync } from './errors.js';

/** Of the process, in which one node runs. What the file held before is not read. */
export function configureSharedCache(path: string, bytes: number, regionBytes: number): void {
  guarded(() => {
    native().configureBlocks(path, bytes, regionBytes);
  });
}

/** Since the node started; bytes. */
export interface SharedCacheFigures {
  readonly reads: number;
  readonly bytesRead: number;
  readonly writes: number;
  readonly bytesWritten: number;
  readonly evictions: number;
  /** Searches that needed more of the cache than others left them. */
  readonly refused: number;
  readonly regions: number;
  readonly regionBytes: number;
  readonly regionsUsed: number;
}

/** Undefined where the node has none. */
export function sharedCacheFigures(): SharedCacheFigures | undefined {
  const figures = guarded(() => native().blockFigures());
  return figures === null ? undefined : (JSON.parse(figures) as SharedCacheFigures);
}

/** So often one call is repeated: what it needs was pushed out again before it could read it. */
const TRIES_MAX = 1_000;
/** After so many it waits for others of the thread that are repeated as often: each pushes out what another one needs. */
const TRIES_BESIDE_OTHERS = 20;
const oneByOne = new Lanes(1);

/** Repeats a call that changes nothing until the parts of files that it needs are in the cache. `error` ended it before. */
export async function withBlocks<Output>(run: () => Output, error: unknown): Promise<Output> {
  const beside = await repeated(run, error, TRIES_BESIDE_OTHERS);
  if (!isAbsence(beside.failure)) return outputOf(beside);
  const alone = await oneByOne.run(() => repeated(run, beside.failure, TRIES_MAX));
  if (!isAbsence(alone.failure)) return outputOf(alone);
  const reason =
    'blocks of a repository could not be fetched, or held in the cache: too much else is read, or waited for';
  throw new QuarryError('circuit_breaking_exception', reason);
}

type Repeated<Output> = { readonly output: Output; readonly failure?: undefined } | { readonly failure: unknown };

async function repeated<Output>(run: () => Output, error: unknown, triesMax: number): Promise<Repeated<Output>> {
  let failure = error;
  for (let tries = 0; tries < triesMax && isAbsence(failure); tries++) {
    const { message } = failure;
    const fetched = guarded(() => native().fetchBlocks(message));
    if (fetched === null) break;
    await guardedAsync(() => fetched);
    try {
      return { output: run() };
    } catch (next) {
      failure = next;
    }
  }
  return { failure };
}

function outputOf<Output>(repeated: Repeated<Output>): Output {
  if ('output' in repeated) return repeated.output;
  throw repeated.failure;
}

function isAbsence(error: unknown): error is QuarryError {
  return error instanceof QuarryError && error.type === 'blocks_absent_exception';
}
