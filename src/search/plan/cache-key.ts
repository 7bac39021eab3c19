/** Names a plan in the request cache: equal for searches that every view of a shard answers alike. */
import { createHash } from 'node:crypto';
import { encodePlan, type SearchPlan } from './search-plan.js';

const MINUTE_MS = 60_000;
/** Where days and hours begin in some time zone, this divides the time from there to midnight in UTC. */
const QUARTER_MS = 15 * MINUTE_MS;

/** `undefined`: the answer depends on the very moment, or on a script that may be stored anew. */
export function cacheKey(plan: SearchPlan): string | undefined {
  const { now_ms: nowMs, ...others } = plan;
  const text = Buffer.from(encodePlan({ ...others, now_ms: 0 }));
  const readable = text.toString('utf8');
  const stepMs = timeStepMs(readable);
  if (stepMs === undefined || UNKNOWN_PARTS.test(readable)) return undefined;
  const moment = stepMs === Infinity ? 0 : Math.floor(nowMs / stepMs);
  return createHash('sha256').update(text).update(`/${moment}`).digest('base64');
}

/** Whether an encoded plan means the same at any moment. */
export function isTimeless(plan: Uint8Array): boolean {
  const readable = Buffer.from(plan).toString('utf8');
  return timeStepMs(readable) === Infinity && !UNKNOWN_PARTS.test(readable);
}

/** Whether a text may mean something else at another moment. */
export function mayNameMoment(text: string): boolean {
  return text.search(NOW) !== -1;
}

/** The word in a text: a member of the plan such as `now_ms` is another. */
const NOW = /(?<![\p{L}\p{N}_])now(?![\p{L}\p{N}_])(?<math>[-+/0-9a-zA-Z]*)/giu;
/** Parts that are added or taken away, and where it is rounded down to. */
const ROUNDED = /^(?<shifts>(?:[-+]\d*[yMwdhHm])*)\/(?<unit>[yMwdhHm])/;
/** Numbers that are others at each moment. */
const RANDOM_WITHOUT_SEED = /"random_score":\{(?!"seed")/;
/** Distance from now where no origin is named. */
const DECAY_WITHOUT_ORIGIN = /"decay":\{(?:(?!"origin"|\}).)*\}/;

/** Stored scripts, and stored queries, which may ask for the moment. Within texts of the request quotes are escaped. */
const UNKNOWN_PARTS = /"(?:stored_id|percolate)":/;

/** How long the plan means the same: `Infinity` without `now`, `undefined` where that is not rounded. */
function timeStepMs(plan: string): number | undefined {
  if (RANDOM_WITHOUT_SEED.test(plan) || DECAY_WITHOUT_ORIGIN.test(plan)) return undefined;
  let stepMs = Infinity;
  for (const { groups } of plan.matchAll(NOW)) {
    const rounded = ROUNDED.exec(groups?.['math'] ?? '')?.groups;
    if (rounded === undefined) return undefined;
    const isFine = rounded['unit'] === 'm' || /\dm|[-+]m/.test(rounded['shifts'] ?? '');
    stepMs = Math.min(stepMs, isFine ? MINUTE_MS : QUARTER_MS);
  }
  return stepMs;
}
