/** What all changes by query are asked for in the query string, and how they answer. */
import type { ActionContext } from '../../actions/context.js';
import { renderOutcome, statusOf, type ToldCounts } from '../../actions/by-query/progress.js';
import { runByQuery, type ByQueryWork } from '../../actions/by-query/run.js';
import type { SearchTarget } from '../../actions/searches/shards/search-targets.js';
import { illegalArgument } from '../../base/errors.js';
import { validationFailure } from '../../search/request/combinations.js';
import { answerValue, type RestAnswer } from '../answer.js';
import {
  activeShardsParameter,
  booleanParameter,
  integerParameter,
  timeParameter,
  type ParameterKind,
} from '../parameters.js';
import { answerTask } from '../tasks/answer-task.js';

const WRITE_TIMEOUT_MS = 60_000;
/** No more can be told; an index allows fewer. */
const SLICES_MAX = 2 ** 31 - 1;
/** As many slices as the smallest index has shards, but not more than this. */
const AUTO_SLICES_MAX = 20;

export const runParameters = {
  max_docs: integerParameter(),
  refresh: booleanParameter(false),
  requests_per_second: paceParameter(),
  slices: slicesParameter(),
  timeout: timeParameter(WRITE_TIMEOUT_MS),
  wait_for_active_shards: activeShardsParameter(),
  wait_for_completion: booleanParameter(true),
} as const;

/** Documents a second; `-1` is no limit. */
export function paceParameter(): ParameterKind<number> {
  return {
    parse(text) {
      const pace = text.trim() === '' ? NaN : Number(text);
      if (pace === -1) return Infinity;
      if (Number.isFinite(pace) && pace > 0) return pace;
      throw illegalArgument('[requests_per_second] must be a float greater than 0. Use -1 to disable throttling.');
    },
    missing: Infinity,
  };
}

type Slices = 'auto' | number;

function slicesParameter(): ParameterKind<Slices> {
  return {
    parse(text) {
      if (text === 'auto') return text;
      const count = /^\d+$/.test(text) ? Number(text) : 0;
      if (count >= 1 && count <= SLICES_MAX) return count;
      throw illegalArgument('[slices] must be a positive integer or the string "auto"');
    },
    missing: 1,
  };
}

export type Conflicts = 'abort' | 'proceed';

export function readConflicts(text: string): Conflicts {
  if (text === 'abort' || text === 'proceed') return text;
  throw illegalArgument(`conflicts may only be "proceed" or "abort" but was [${text}]`);
}

/** The same limit may be given in several places, which have to agree. */
export function readMaxDocs(given: readonly (number | undefined)[]): number | undefined {
  let maxDocs: number | undefined;
  for (const value of given) {
    if (value === undefined) continue;
    if (value < 0) throw illegalArgument(`[max_docs] parameter cannot be negative, found [${value}]`);
    if (maxDocs !== undefined && maxDocs !== value) {
      throw illegalArgument(`[max_docs] set to two different values [${maxDocs}] and [${value}]`);
    }
    maxDocs = value;
  }
  return maxDocs;
}

/** How many slices a job has. */
export function sliceCount(
  slices: Slices,
  maxDocs: number | undefined,
  isSlicedByHand: boolean,
  targets: readonly SearchTarget[],
): number {
  if (slices !== 'auto') {
    const problems: string[] = [];
    if (slices > 1 && isSlicedByHand) problems.push("can't specify both manual and automatic slicing at the same time");
    if (maxDocs !== undefined && maxDocs < slices) problems.push('[max_docs] should be >= [slices]');
    if (problems.length > 0) throw validationFailure(problems);
    return slices;
  }
  if (isSlicedByHand) return 1;
  const shards = targets.map(({ index }) => index.numberOfShards);
  const fitting = Math.min(AUTO_SLICES_MAX, maxDocs ?? Infinity, ...shards);
  return targets.length === 0 ? 1 : Math.max(1, fitting);
}

/** What each slice may do of a limit. */
export function shareOf(maxDocs: number | undefined, slice: number, slices: number): number | undefined {
  if (maxDocs === undefined) return undefined;
  return Math.floor(maxDocs / slices) + (slice < maxDocs % slices ? 1 : 0);
}

/** Carries the work out, or begins it. */
export async function answerWork(
  work: ByQueryWork,
  told: ToldCounts,
  waits: boolean,
  context: ActionContext,
): Promise<RestAnswer> {
  if (waits) {
    const outcome = await runByQuery(work, context);
    return answerValue(renderOutcome(outcome, told), statusOf(outcome));
  }
  const { action, description } = work;
  const all = { created: true, updated: true };
  const task = { action, description, hasPace: true };
  return answerTask(task, async (own) => renderOutcome(await runByQuery(work, own), all), context);
}
