/** One change by query (or one slice of it): page after page of hits becomes writes, at a pace, until all are done or it is given up. */
import { asQuarryError } from '../../base/error-wire.js';
import type { QuarryError } from '../../base/errors.js';
import type { JsonObject } from '../../base/json-value.js';
import type { ActionContext } from '../context.js';
import { writeMany, type BulkAnswer, type ManyWrites } from '../documents/bulk.js';
import type { ActiveShards } from '../documents/active-shards.js';
import { renderCause } from '../documents/item-error.js';
import type { ShardFailure } from '../searches/shards/shard-failures.js';
import { recordAnswers } from './answers.js';
import type { Hit, Page } from './page.js';
import type { Progress } from './progress.js';
import {
  allRejected,
  joined,
  pauseBeforeRetryMs,
  piecesOf,
  rejectedPlaces,
  RETRIES_MAX,
  withRetried,
  writesAt,
} from './rejected-writes.js';

/** Where the pages come from. */
export interface HitSource {
  /** Whether pages cost this worker work: what only waits for another cluster takes no turn from other jobs. */
  readonly isWork: boolean;
  /** Undefined: there are no more. `keepMs` is how long the next page may be waited for. */
  next(keepMs: number, context: ActionContext): Promise<SourcePage | undefined>;
  /** Lets go of what is held; never fails. */
  close(context: ActionContext): Promise<void>;
}

export interface SourcePage {
  readonly page: Page;
  readonly failures: readonly ShardFailure[];
  readonly isTimedOut: boolean;
}

/** What becomes of the hits. */
export interface MadeWrites {
  readonly writes: ManyWrites;
  readonly noops: number;
}

export interface JobPlan {
  readonly source: HitSource;
  /** Hits on a page. */
  readonly pageSize: number;
  readonly maxDocs: number | undefined;
  readonly abortsOnConflict: boolean;
  readonly activeShards: ActiveShards | undefined;
  readonly timeoutMs: number;
  /** An ingest pipeline; absent: that of each index. */
  readonly pipeline?: string;
  make(page: Page, hits: readonly Hit[], context: ActionContext): Promise<MadeWrites> | MadeWrites;
}

export interface JobControl {
  readonly context: ActionContext;
  readonly progress: Progress;
  isCancelled(): boolean;
  /** Documents a second, as it is now; infinity: as fast as it goes. */
  pace(): number;
  /** Told whenever the progress changed. */
  changed(): void;
}

/** A full queue; what a breaker or a limit refuses would be refused again. */
const REJECTIONS: ReadonlySet<string> = new Set(['es_rejected_execution_exception', 'rejected_execution_exception']);

/** Documents that are written at once while the node serves requests. */
const SMALL_STEP = 128;
/** A pause that is interrupted by another pace or a cancellation is looked at so often. */
const LOOK_MS = 50;
/** However slow the pace is: views of shards are not held for longer. */
const KEEP_MS_MAX = 24 * 60 * 60 * 1_000;

export async function runJob(plan: JobPlan, control: JobControl): Promise<void> {
  const { context, progress } = control;
  try {
    await runPages(plan, control);
  } catch (thrown) {
    if (!control.isCancelled()) throw thrown;
  } finally {
    progress.isCancelled = control.isCancelled();
    control.changed();
    await plan.source.close(context.tasks.detached());
  }
}

async function runPages(plan: JobPlan, control: JobControl): Promise<void> {
  const { context, progress } = control;
  let done = 0;
  const { maxDocs = Infinity } = plan;
  while (done < maxDocs && !control.isCancelled()) {
    const startedMs = context.clock.monotonicMs();
    const pace = control.pace();
    const count = await runPage(plan, maxDocs - done, pace, control);
    done += count;
    control.changed();
    if (count === 0 || progress.failures.length > 0 || done >= progress.total) return;
    await pause(control, startedMs, count, pace);
  }
}

/** Gives how many hits were worked on. */
async function runPage(plan: JobPlan, hitsMax: number, pace: number, control: JobControl): Promise<number> {
  const { progress } = control;
  const found = await nextPage(plan, pace, control);
  if (found === undefined) return 0;
  noteSearch(progress, found);
  if (progress.failures.length > 0 || progress.isTimedOut) return 0;
  progress.total = Math.min(found.page.total, plan.maxDocs ?? Infinity);
  const hits = found.page.hits.slice(0, hitsMax);
  if (hits.length > 0) await runBatch(plan, found.page, hits, control);
  return hits.length;
}

/** A search that was turned away is tried again. */
async function nextPage(plan: JobPlan, pace: number, control: JobControl): Promise<SourcePage | undefined> {
  const { context, progress } = control;
  const ask = (): Promise<SourcePage | undefined> => plan.source.next(keepMs(plan, pace), context);
  for (let retry = 0; ; retry++) {
    try {
      return await (plan.source.isWork ? context.turns.take(ask) : ask());
    } catch (error) {
      const isRejected = REJECTIONS.has(asQuarryError(error).type);
      if (!isRejected || retry === RETRIES_MAX || control.isCancelled()) throw error;
      progress.searchRetries++;
      control.changed();
      await rest(control, pauseBeforeRetryMs(retry));
    }
  }
}

/** In pieces, where others would have to wait for the whole. */
async function runBatch(plan: JobPlan, page: Page, hits: readonly Hit[], control: JobControl): Promise<void> {
  const { context, progress } = control;
  for (let from = 0; from < hits.length;) {
    const end = context.turns.isBusy ? from + SMALL_STEP : hits.length;
    const piece = hits.slice(from, end);
    const written = await context.turns.take(() => writePiece(plan, page, piece, control));
    if (written !== undefined) await settle(plan, written, control);
    from = end;
  }
  // Whoever watches sees a batch when all of it is done.
  progress.batches++;
}

interface Written {
  readonly writes: ManyWrites;
  readonly answer: BulkAnswer;
}

/** Undefined: there was nothing to write. */
async function writePiece(
  plan: JobPlan,
  page: Page,
  hits: readonly Hit[],
  { context, progress }: JobControl,
): Promise<Written | undefined> {
  const { writes, noops } = await plan.make(page, hits, context);
  progress.noops += noops;
  return writes.actions.length === 0 ? undefined : { writes, answer: await write(plan, writes, context) };
}

async function write(
  { activeShards, timeoutMs, pipeline }: JobPlan,
  writes: ManyWrites,
  context: ActionContext,
): Promise<BulkAnswer> {
  const asked = pipeline === undefined ? {} : { pipeline };
  try {
    return await writeMany(writes, { refresh: 'none', activeShards, timeoutMs, ...asked }, context);
  } catch (thrown) {
    const error = asQuarryError(thrown);
    if (!REJECTIONS.has(error.type)) throw thrown;
    return allRejected(writes, error);
  }
}

/**
 * Tries again what was turned away, and takes account of it all. Other jobs have their turns meanwhile. All of it together may be more than
 * there ever is room for: each try writes half as much at once as that before.
 */
async function settle(plan: JobPlan, { writes, answer: first }: Written, control: JobControl): Promise<void> {
  const { context, progress } = control;
  let answer = first;
  let size = writes.actions.length;
  for (let retry = 0; retry < RETRIES_MAX; retry++) {
    const places = rejectedPlaces(answer);
    if (places.length === 0) break;
    progress.bulkRetries++;
    control.changed();
    await rest(control, pauseBeforeRetryMs(retry));
    if (control.isCancelled()) break;
    size = Math.ceil(Math.min(size, places.length) / 2);
    const answers: BulkAnswer[] = [];
    for (const piece of piecesOf(writesAt(writes, places), size)) {
      if (control.isCancelled()) break;
      answers.push(await context.turns.take(() => write(plan, piece, context)));
    }
    answer = withRetried(answer, places, joined(answers));
  }
  recordAnswers(answer, writes, plan.abortsOnConflict, progress);
}

/** Ends early when the job is cancelled. */
async function rest(control: JobControl, durationMs: number): Promise<void> {
  const { clock } = control.context;
  const endMs = clock.monotonicMs() + durationMs;
  for (let left = durationMs; left > 0 && !control.isCancelled(); left = endMs - clock.monotonicMs()) {
    await new Promise<void>((resolve) => {
      clock.schedule(Math.min(left, LOOK_MS), resolve);
    });
  }
}

function noteSearch(progress: Progress, { failures, isTimedOut }: SourcePage): void {
  progress.isTimedOut ||= isTimedOut;
  for (const { key, error, nodeId } of failures) {
    progress.failures.push({ ...searchFailure(error), index: key.index, shard: key.shard, node: nodeId ?? null });
  }
}

function searchFailure(error: QuarryError): JsonObject {
  return { reason: renderCause(error), status: error.status };
}

function keepMs({ pageSize }: JobPlan, pace: number): number {
  return Math.min(KEEP_MS_MAX, (pageSize / pace) * 1_000);
}

/**
 * A batch takes as long as the pace says. A slower one holds from the next batch on: the views are kept for no longer than the pace
 * at the beginning of this one needs.
 */
async function pause(control: JobControl, startedMs: number, size: number, pace: number): Promise<void> {
  const { context, progress } = control;
  const { clock } = context;
  const beganMs = clock.monotonicMs();
  const leftMs = (): number => startedMs + (size / Math.max(pace, control.pace())) * 1_000 - clock.monotonicMs();
  for (let left = leftMs(); left > 0 && !control.isCancelled(); left = leftMs()) {
    const isFirst = progress.throttledUntilMs === 0;
    progress.throttledUntilMs = left;
    if (isFirst) control.changed();
    await new Promise<void>((resolve) => {
      clock.schedule(Math.min(left, LOOK_MS), resolve);
    });
  }
  if (progress.throttledUntilMs > 0) progress.throttledMs += clock.monotonicMs() - beganMs;
  progress.throttledUntilMs = 0;
  progress.pace = control.pace();
}
