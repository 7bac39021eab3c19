/** Writes down what the cluster says of indices that this node has copies of, whenever that changes: see `store/index-record.ts`. */
import type { Clock } from '../../base/clock.js';
import { asQuarryError } from '../../base/error-wire.js';
import type { Logger } from '../../base/logger.js';
import { TurnOfLoop } from '../../base/turn-of-loop.js';
import { changedIndices, NO_INDICES, placedIndex, type IndexTables } from '../../cluster/copies/index-tally.js';
import type { ClusterState, IndexMetadata } from '../../cluster/state.js';
import { encodeIndex } from '../../cluster/state-codec.js';
import type { Coordinator } from '../../coordinator/coordinator.js';
import { writeIndexRecord } from '../../store/index-record.js';

export interface IndexRecordsOptions {
  readonly indicesPath: string;
  readonly nodeId: string;
  readonly coordinator: Pick<Coordinator, 'current' | 'watch'>;
  readonly clock: Clock;
  readonly logger: Logger;
}

/** After a change of the state: several come together. */
const PAUSE_MS = 500;
/** While the directory is not there yet, or cannot be written. */
const RETRY_MS = 2_000;
/** After the start, until those are compared that an earlier run wrote: nearly always nothing has changed. */
const FORMER_MS = 10_000;

export class IndexRecords {
  private readonly options: IndexRecordsOptions;
  private readonly loop: TurnOfLoop;
  /** Names of indices whose records may not be as the state has them. */
  private due = new Set<string>();
  private seen: IndexTables = NO_INDICES;
  private isScheduled = false;
  private stopWatching = (): void => undefined;
  private stopTimer = (): void => undefined;
  private stopTimerOfFormer = (): void => undefined;
  private hasEnded = false;

  constructor(options: IndexRecordsOptions) {
    this.options = options;
    this.loop = new TurnOfLoop(options.clock);
  }

  begin(): void {
    const { coordinator, clock } = this.options;
    const former = [...coordinator.current.indices.keys()];
    this.seen = coordinator.current;
    this.stopWatching = coordinator.watch((state) => {
      this.follow(state);
    });
    this.stopTimerOfFormer = clock.schedule(FORMER_MS, () => {
      this.add(former);
    });
  }

  end(): void {
    this.hasEnded = true;
    this.stopWatching();
    this.stopTimer();
    this.stopTimerOfFormer();
  }

  private follow(state: ClusterState): void {
    const before = this.seen;
    this.seen = { indices: state.indices, routing: state.routing };
    this.add(changedIndices(before, state));
  }

  private add(names: Iterable<string>): void {
    for (const name of names) this.due.add(name);
    this.schedule(PAUSE_MS);
  }

  private schedule(delayMs: number): void {
    if (this.isScheduled || this.hasEnded || this.due.size === 0) return;
    this.isScheduled = true;
    this.stopTimer = this.options.clock.schedule(delayMs, () => {
      void this.writeDue().then((isDone) => {
        this.isScheduled = false;
        this.schedule(isDone ? PAUSE_MS : RETRY_MS);
      });
    });
  }

  /** Gives whether everything is on disk. */
  private async writeDue(): Promise<boolean> {
    const names = this.due;
    this.due = new Set();
    let isDone = true;
    for (const name of names) {
      await this.loop.leaveTime();
      const index = this.ownIndex(name);
      if (index === undefined || (await this.write(index))) continue;
      this.due.add(name);
      isDone = false;
    }
    return isDone;
  }

  /** Undefined where this node has no copy of it. */
  private ownIndex(name: string): IndexMetadata | undefined {
    const { coordinator, nodeId: self } = this.options;
    const placed = placedIndex(coordinator.current, name);
    const isHere = placed?.table.shards.some((copies) => copies.some(({ nodeId }) => nodeId === self)) === true;
    return isHere ? placed.index : undefined;
  }

  private async write(index: IndexMetadata): Promise<boolean> {
    const { indicesPath, logger } = this.options;
    try {
      return await writeIndexRecord(indicesPath, index.uuid, encodeIndex(index));
    } catch (error) {
      const { message: reason } = asQuarryError(error);
      logger.log('warn', 'cannot write down what an index is', { index: index.name, reason });
      return false;
    }
  }
}
