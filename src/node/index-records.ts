/** Writes down what the cluster says of indices that this node has copies of, whenever that changes: see `store/index-record.ts`. */
import type { Clock } from '../base/clock.js';
import { asQuarryError } from '../base/error-wire.js';
import type { Logger } from '../base/logger.js';
import type { ClusterState, IndexMetadata } from '../cluster/state.js';
import { encodeIndex } from '../cluster/state-codec.js';
import type { Coordinator } from '../coordinator/coordinator.js';
import { writeIndexRecord } from '../store/index-record.js';

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

export class IndexRecords {
  private readonly options: IndexRecordsOptions;
  /** By UUID: what is on disk. */
  private readonly written = new Map<string, IndexMetadata>();
  private seen: ClusterState | undefined;
  private isScheduled = false;
  private stopWatching = (): void => undefined;
  private stopTimer = (): void => undefined;
  private hasEnded = false;

  constructor(options: IndexRecordsOptions) {
    this.options = options;
  }

  begin(): void {
    const { coordinator } = this.options;
    this.stopWatching = coordinator.watch((state) => {
      this.follow(state);
    });
    this.follow(coordinator.current);
  }

  end(): void {
    this.hasEnded = true;
    this.stopWatching();
    this.stopTimer();
  }

  private follow(state: ClusterState): void {
    const isSame = this.seen?.indices === state.indices && this.seen.routing === state.routing;
    this.seen = state;
    if (!isSame) this.schedule(PAUSE_MS);
  }

  private schedule(delayMs: number): void {
    if (this.isScheduled || this.hasEnded) return;
    this.isScheduled = true;
    this.stopTimer = this.options.clock.schedule(delayMs, () => {
      void this.writeAll().then((isDone) => {
        this.isScheduled = false;
        const { indices, routing } = this.options.coordinator.current;
        const isNewest = this.seen?.indices === indices && this.seen.routing === routing;
        if (!isDone || !isNewest || this.missing().length > 0) this.schedule(isDone ? PAUSE_MS : RETRY_MS);
      });
    });
  }

  private missing(): readonly IndexMetadata[] {
    const { indices, routing } = this.options.coordinator.current;
    const isHere = ({ name }: IndexMetadata): boolean =>
      routing.get(name)?.shards.some((copies) => copies.some(({ nodeId }) => nodeId === this.options.nodeId)) === true;
    const here = [...indices.values()].filter(isHere);
    const uuids = new Set(here.map(({ uuid }) => uuid));
    for (const uuid of this.written.keys()) if (!uuids.has(uuid)) this.written.delete(uuid);
    return here.filter((index) => this.written.get(index.uuid) !== index);
  }

  /** Gives whether everything is on disk. */
  private async writeAll(): Promise<boolean> {
    const { indicesPath, logger } = this.options;
    let isDone = true;
    for (const index of this.missing()) {
      try {
        if (await writeIndexRecord(indicesPath, index.uuid, encodeIndex(index))) this.written.set(index.uuid, index);
        else isDone = false;
      } catch (error) {
        isDone = false;
        const { message: reason } = asQuarryError(error);
        logger.log('warn', 'cannot write down what an index is', { index: index.name, reason });
      }
    }
    return isDone;
  }
}
