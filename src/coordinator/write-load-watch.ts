/**
 * How much the primaries are written to, as the master hears it: it asks their nodes how long writes have kept processors busy,
 * and keeps a mean that forgets. Busy workers answer late, so nothing else waits for these answers.
 */
import type { Clock } from '../base/clock.js';
import type { Logger } from '../base/logger.js';
import { shardKey } from '../cluster/disks/cluster-info.js';
import { dataNodes } from '../cluster/nodes/data-nodes.js';
import type { ShardWriteTime } from '../cluster/nodes/node-reports.js';
import type { ClusterState, NodeRecord } from '../cluster/state.js';
import { reasonOf } from './coordinator.js';

export type AskForWriteTimes = (node: NodeRecord, timeoutMs: number) => Promise<readonly ShardWriteTime[]>;

export interface WriteLoadWatchOptions {
  readonly clock: Clock;
  readonly logger: Logger;
  readonly ask: AskForWriteTimes;
  readonly found: (writeLoads: ReadonlyMap<string, number>) => void;
}

const ANSWER_MS_MAX = 15_000;
/** After so long without writes half of a load is forgotten. */
const HALF_LIFE_MS = 5 * 60 * 1_000;
/** Loads are told in steps of so many processors: what changes less moves no shard. */
const LOAD_STEP = 1 / 16;

interface Seen {
  /** The run of the node whose shard counts; another one's begins at zero. */
  readonly ephemeralId: string;
  readonly busyMs: number;
  readonly atMs: number;
  readonly load: number;
}

export class WriteLoadWatch {
  private readonly options: WriteLoadWatchOptions;
  private seen: ReadonlyMap<string, Seen> = new Map();
  private isAsking = false;
  private isEnded = false;

  constructor(options: WriteLoadWatchOptions) {
    this.options = options;
  }

  end(): void {
    this.isEnded = true;
  }

  /** Asks all nodes, unless that is under way. */
  refresh(state: ClusterState): void {
    if (this.isAsking || this.isEnded) return;
    this.isAsking = true;
    this.askAll(state)
      .catch((error: unknown) => {
        this.options.logger.log('warn', 'cannot use what nodes tell of writes', { reason: reasonOf(error) });
      })
      .finally(() => {
        this.isAsking = false;
      });
  }

  private async askAll(state: ClusterState): Promise<void> {
    const { ask, clock, logger, found } = this.options;
    const next = new Map<string, Seen>();
    await Promise.all(
      dataNodes(state).map(async (node) => {
        try {
          const times = await ask(node, ANSWER_MS_MAX);
          for (const time of times) this.note(next, node.ephemeralId, time, clock.monotonicMs());
        } catch (error) {
          // One of an earlier version knows no such question.
          logger.log('debug', 'a node did not tell of its writes', { dataNode: node.name, reason: reasonOf(error) });
        }
      }),
    );
    if (this.isEnded) return;
    this.keepUnanswered(next, state);
    this.seen = next;
    found(this.loads());
  }

  private note(next: Map<string, Seen>, ephemeralId: string, time: ShardWriteTime, atMs: number): void {
    const key = shardKey(time.indexUuid, time.shard);
    const before = this.seen.get(key);
    const { busyMs } = time;
    if (before === undefined) {
      next.set(key, { ephemeralId, busyMs, atMs, load: 0 });
      return;
    }
    const elapsedMs = Math.max(1, atMs - before.atMs);
    // A shard that was opened anew, here or elsewhere, counts from zero.
    const isSameCount = before.ephemeralId === ephemeralId && busyMs >= before.busyMs;
    const recent = (isSameCount ? busyMs - before.busyMs : busyMs) / elapsedMs;
    const kept = 2 ** (-elapsedMs / HALF_LIFE_MS);
    next.set(key, { ephemeralId, busyMs, atMs, load: kept * before.load + (1 - kept) * recent });
  }

  /** A shard of which nobody told has the load that it had, while its index is there. */
  private keepUnanswered(next: Map<string, Seen>, state: ClusterState): void {
    for (const { index, shards } of state.routing.values()) {
      for (const shard of shards.keys()) {
        const key = shardKey(index.uuid, shard);
        const before = this.seen.get(key);
        if (before !== undefined && !next.has(key)) next.set(key, before);
      }
    }
  }

  private loads(): ReadonlyMap<string, number> {
    const loads = new Map<string, number>();
    for (const [key, { load }] of this.seen) {
      const told = Math.round(load / LOAD_STEP) * LOAD_STEP;
      if (told > 0) loads.set(key, told);
    }
    return loads;
  }
}
