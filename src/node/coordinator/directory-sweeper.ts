/**
 * Removes directories of shards that are of no use any more: those of deleted indices, however long the node was away, and
 * those of copies that went elsewhere, once every copy that the shard shall have serves.
 */
import type { Clock } from '../../base/clock.js';
import { asQuarryError } from '../../base/error-wire.js';
import type { Logger } from '../../base/logger.js';
import { differenceOf } from '../../base/shared-map.js';
import { TurnOfLoop } from '../../base/turn-of-loop.js';
import { fateOf, type ServingCopy } from '../../cluster/copies/abandoned-copies.js';
import { changedIndices } from '../../cluster/copies/index-tally.js';
import type { ClusterState, NodeRecord } from '../../cluster/state.js';
import type { Coordinator } from '../../coordinator/coordinator.js';
import { removeIndexDirectoryIfEmpty } from '../../store/index-record.js';
import { shardDirectory, type ShardPlace } from '../../store/layout.js';
import { placesOf, shardPlaces } from '../../store/shard-directories.js';

export interface DirectorySweeperOptions {
  readonly indicesPath: string;
  readonly nodeId: string;
  readonly coordinator: Pick<Coordinator, 'current' | 'watch'>;
  readonly clock: Clock;
  readonly logger: Logger;
  /** For each copy, whether the node serves it. */
  readonly areActive: (node: NodeRecord, copies: readonly ServingCopy[]) => Promise<readonly boolean[]>;
  /** Removes the directory when nobody works in it. */
  readonly remove: (directory: string) => Promise<void>;
}

/** After a change of the state: several come together. */
const PAUSE_MS = 500;
/** While a directory is superfluous and its other copies did not all answer. */
const RETRY_MS = 10_000;
/** Between two looks at everything that is there. */
const ALL_MS = 600_000;

export class DirectorySweeper {
  private readonly options: DirectorySweeperOptions;
  private readonly loop: TurnOfLoop;
  private seen: ClusterState | undefined;
  /** UUIDs of indices of which something changed. */
  private changed = new Set<string>();
  /** Everything is to be looked at. */
  private isAllDue = true;
  private stopTimer = (): void => undefined;
  private stopTimerOfAll = (): void => undefined;
  private isScheduled = false;
  private isSweeping = false;
  private hasEnded = false;
  private stopWatching = (): void => undefined;

  constructor(options: DirectorySweeperOptions) {
    this.options = options;
    this.loop = new TurnOfLoop(options.clock);
  }

  begin(): void {
    this.stopWatching = this.options.coordinator.watch((state) => {
      this.follow(state);
    });
    this.follow(this.options.coordinator.current);
    this.scheduleAll();
  }

  end(): void {
    this.stopWatching();
    this.stopTimer();
    this.stopTimerOfAll();
    this.hasEnded = true;
  }

  private follow(state: ClusterState): void {
    const before = this.seen;
    this.seen = state;
    if (before === undefined) {
      this.schedule(PAUSE_MS);
      return;
    }
    for (const name of changedIndices(before, state)) {
      for (const uuid of [before.indices.get(name)?.uuid, state.indices.get(name)?.uuid]) {
        if (uuid !== undefined) this.changed.add(uuid);
      }
    }
    for (const [uuid] of differenceOf(before.tombstones, state.tombstones).put) this.changed.add(uuid);
    if (this.changed.size > 0) this.schedule(PAUSE_MS);
  }

  /** Files may come to be where nothing changes any more: one that was late, or a copy from elsewhere. */
  private scheduleAll(): void {
    this.stopTimerOfAll = this.options.clock.schedule(ALL_MS, () => {
      this.isAllDue = true;
      this.schedule(PAUSE_MS);
      this.scheduleAll();
    });
  }

  private schedule(delayMs: number): void {
    if (this.isScheduled || this.hasEnded) return;
    this.isScheduled = true;
    this.stopTimer = this.options.clock.schedule(delayMs, () => {
      this.isScheduled = false;
      if (this.isSweeping) this.schedule(delayMs);
      else void this.sweep();
    });
  }

  private async sweep(): Promise<void> {
    this.isSweeping = true;
    const { logger } = this.options;
    const { changed, isAllDue } = this;
    this.changed = new Set();
    this.isAllDue = false;
    try {
      for await (const place of isAllDue ? this.allPlaces() : this.placesOf(changed)) {
        if (!(await this.look(place))) this.changed.add(place.indexUuid);
      }
      if (this.changed.size > 0) this.schedule(RETRY_MS);
    } catch (error) {
      logger.log('warn', 'cannot look for superfluous files of shards', { reason: asQuarryError(error).message });
      this.isAllDue = true;
      this.schedule(RETRY_MS);
    } finally {
      this.isSweeping = false;
    }
  }

  private async *allPlaces(): AsyncIterable<ShardPlace> {
    yield* await shardPlaces(this.options.indicesPath, this.loop);
  }

  private async *placesOf(indexUuids: Iterable<string>): AsyncIterable<ShardPlace> {
    for (const uuid of indexUuids) {
      await this.loop.leaveTime();
      yield* placesOf(this.options.indicesPath, uuid);
    }
  }

  /** Whether there is nothing more to do about the directory. */
  private async look(place: ShardPlace): Promise<boolean> {
    const { coordinator, nodeId } = this.options;
    const fate = fateOf(coordinator.current, nodeId, place);
    if (fate === 'keep') return true;
    if (fate !== 'remove') {
      if (!(await this.allServe(fate))) return false;
      // Meanwhile the state may have changed: it must still say the same.
      if (JSON.stringify(fateOf(coordinator.current, nodeId, place)) !== JSON.stringify(fate)) return false;
    }
    return this.remove(place);
  }

  private async allServe(copies: readonly ServingCopy[]): Promise<boolean> {
    const { coordinator, areActive } = this.options;
    const answers = await Promise.all(
      copies.map(async (copy) => {
        const node = coordinator.current.nodes.get(copy.nodeId);
        if (node === undefined) return false;
        const [isActive] = await areActive(node, [copy]).catch(() => [false]);
        return isActive === true;
      }),
    );
    return answers.every(Boolean);
  }

  private async remove({ indexUuid, shard }: ShardPlace): Promise<boolean> {
    const { indicesPath, logger, remove } = this.options;
    const directory = shardDirectory(indicesPath, indexUuid, shard);
    try {
      await remove(directory);
      await removeIndexDirectoryIfEmpty(indicesPath, indexUuid);
      logger.log('info', 'removed files of a shard that are of no use any more', { directory });
      return true;
    } catch (error) {
      logger.log('warn', 'cannot remove files of a shard', { directory, reason: asQuarryError(error).message });
      return false;
    }
  }
}
