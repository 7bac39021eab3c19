/**
 * What the master hears of disks: asks every data node from time to time, and whenever that may have changed, how full its disk
 * is; commands then see the answers, and blocks and places of shards follow them. What lies in directories of shards that
 * have lost copies is asked by {@link StoreFinder}.
 */
import type { Clock } from '../base/clock.js';
import type { Logger } from '../base/logger.js';
import { NO_CLUSTER_INFO, shardKey, type ClusterInfo, type DiskInfo } from '../cluster/disks/cluster-info.js';
import { dataNodes } from '../cluster/nodes/data-nodes.js';
import { diskLevels, type DiskLevel } from '../cluster/disks/disk-levels.js';
import { effectiveClusterSettings } from '../cluster/settings/effective-cluster-settings.js';
import type { DiskReport } from '../cluster/nodes/node-reports.js';
import { DiskSettingDefinitions } from '../cluster/settings/disk-settings.js';
import { valueOf } from '../cluster/settings/registry.js';
import type { ClusterState, NodeRecord } from '../cluster/state.js';
import { reasonOf, type Coordinator } from './coordinator.js';
import { StoreFinder, type AskForStores } from './store-finder.js';
import { WriteLoadWatch, type AskForWriteTimes } from './write-load-watch.js';

/** What the master asks of the nodes that hold data, itself among them. */
export interface NodeQuestions {
  readonly diskUsage: (node: NodeRecord, timeoutMs: number) => Promise<DiskReport>;
  readonly shardStores: AskForStores;
  readonly writeTimes: AskForWriteTimes;
}

export interface ClusterInfoKeeperOptions {
  readonly coordinator: Coordinator;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly questions: NodeQuestions;
}

export class ClusterInfoKeeper {
  private readonly options: ClusterInfoKeeperOptions;
  private info: ClusterInfo = NO_CLUSTER_INFO;
  private finder: StoreFinder | undefined;
  private writes: WriteLoadWatch | undefined;
  private stopWatching = (): void => undefined;
  private stopTimer = (): void => undefined;
  private isAsking = false;
  private isWanted = false;
  private causes = '';
  private levels: ReadonlyMap<string, DiskLevel> = new Map();
  /** Before it only a disk that passes a watermark is a reason to move copies. */
  private nextRoundMs = 0;
  /** Nodes that did not answer the last time they were asked. */
  private silent: ReadonlySet<string> = new Set();
  /** Rises with each time in office: what was asked in an earlier one is not heard. */
  private office = 0;

  constructor(options: ClusterInfoKeeperOptions) {
    this.options = options;
  }

  /** This node is the master. */
  begin(): void {
    this.end();
    const { coordinator, clock, logger, questions } = this.options;
    const finder = new StoreFinder({
      coordinator,
      clock,
      logger,
      ask: questions.shardStores,
      found: (shardStores) => {
        this.use({ ...this.info, shardStores });
      },
    });
    this.finder = finder;
    this.writes = new WriteLoadWatch({
      clock,
      logger,
      ask: questions.writeTimes,
      found: (writeLoads) => {
        this.use({ ...this.info, writeLoads });
      },
    });
    this.stopWatching = coordinator.watch((state) => {
      this.follow(state);
    });
    finder.begin(coordinator.current);
    this.follow(coordinator.current);
  }

  end(): void {
    this.office++;
    this.stopWatching();
    this.stopTimer();
    this.finder?.end();
    this.finder = undefined;
    this.writes?.end();
    this.writes = undefined;
    this.isAsking = false;
    this.isWanted = false;
    this.causes = '';
    this.levels = new Map();
    this.nextRoundMs = 0;
    this.silent = new Set();
    this.use(NO_CLUSTER_INFO);
  }

  private use(info: ClusterInfo): void {
    this.info = info;
    this.options.coordinator.useClusterInfo(info);
  }

  private follow(state: ClusterState): void {
    this.finder?.follow(state);
    const causes = causesOf(state);
    if (causes === this.causes) return;
    this.causes = causes;
    this.nextRoundMs = 0;
    this.refresh();
  }

  private refresh(): void {
    this.isWanted = true;
    if (this.isAsking) return;
    this.isAsking = true;
    const { office } = this;
    this.stopTimer();
    this.askUntilDone(office).catch((error: unknown) => {
      this.options.logger.log('warn', 'cannot use what nodes tell of their disks', { reason: reasonOf(error) });
    });
  }

  private async askUntilDone(office: number): Promise<void> {
    const isOver = (): boolean => office !== this.office;
    const { coordinator, clock } = this.options;
    try {
      while (this.isWanted && !isOver()) {
        this.isWanted = false;
        this.writes?.refresh(coordinator.current);
        const reports = await this.askAll(coordinator.current);
        if (isOver()) return;
        this.use({ ...this.info, ...gathered(reports) });
        const hasPassed = this.tellLevels(coordinator.current);
        await coordinator.submitHere('update-disk-blocks', {
          reroutes: this.isRoundDue(coordinator.current, hasPassed),
        });
      }
    } finally {
      if (!isOver()) {
        this.isAsking = false;
        const settings = effectiveClusterSettings(coordinator.current);
        const intervalMs = valueOf(DiskSettingDefinitions.clusterInfoInterval, settings) ?? 0;
        this.stopTimer = clock.schedule(intervalMs, () => {
          this.refresh();
        });
      }
    }
  }

  private isRoundDue(state: ClusterState, hasPassedWatermark: boolean): boolean {
    const nowMs = this.options.clock.monotonicMs();
    if (!hasPassedWatermark && nowMs < this.nextRoundMs) return false;
    this.nextRoundMs = nowMs + (valueOf(DiskSettingDefinitions.rerouteInterval, effectiveClusterSettings(state)) ?? 0);
    return true;
  }

  /** A node that does not answer in time is one of which nothing is known; one that is about to leave does so once. */
  private async askAll(state: ClusterState): Promise<ReadonlyMap<string, DiskReport>> {
    const { logger, questions } = this.options;
    const timeoutMs = valueOf(DiskSettingDefinitions.clusterInfoTimeout, effectiveClusterSettings(state)) ?? 0;
    const reports = new Map<string, DiskReport>();
    const silent = new Set<string>();
    await Promise.all(
      dataNodes(state).map(async (node) => {
        try {
          reports.set(node.id, await questions.diskUsage(node, timeoutMs));
        } catch (error) {
          silent.add(node.id);
          const details = { dataNode: node.name, reason: reasonOf(error) };
          logger.log(this.silent.has(node.id) ? 'warn' : 'debug', 'a node did not tell of its disk', details);
        }
      }),
    );
    this.silent = silent;
    return reports;
  }

  /** Gives whether any disk is at another level than before. */
  private tellLevels(state: ClusterState): boolean {
    const levels = diskLevels(state, this.info.disks);
    let hasPassed = false;
    for (const [nodeId, level] of levels) {
      const before = this.levels.get(nodeId) ?? 'below';
      if (level === before) continue;
      hasPassed = true;
      const disk = this.info.disks.get(nodeId);
      const node = state.nodes.get(nodeId)?.name;
      const isWorse = level !== 'below';
      this.options.logger.log(isWorse ? 'warn' : 'info', 'the disk of a node passed a watermark', {
        dataNode: node,
        above: isWorse ? level : 'none',
        before: before === 'below' ? 'none' : before,
        freeBytes: disk?.freeBytes,
        totalBytes: disk?.totalBytes,
      });
    }
    this.levels = levels;
    return hasPassed;
  }
}

/** What makes an answer out of date: other nodes, or other rules. */
function causesOf(state: ClusterState): string {
  const runs = dataNodes(state).map(({ ephemeralId }) => ephemeralId);
  const settings = [...effectiveClusterSettings(state)].filter(
    ([key]) => key.startsWith('cluster.routing.allocation.disk.') || key.startsWith('cluster.info.'),
  );
  return JSON.stringify([runs.sort(), settings.sort()]);
}

function gathered(reports: ReadonlyMap<string, DiskReport>): Omit<ClusterInfo, 'shardStores' | 'writeLoads'> {
  const disks = new Map<string, DiskInfo>();
  const shardBytes = new Map<string, number>();
  const copyBytes = new Map<string, ReadonlyMap<string, number>>();
  for (const [nodeId, { path, totalBytes, freeBytes, shards }] of reports) {
    disks.set(nodeId, { path, totalBytes, freeBytes });
    copyBytes.set(
      nodeId,
      new Map(
        shards.map(({ indexUuid, shard, bytes }) => {
          const key = shardKey(indexUuid, shard);
          shardBytes.set(key, Math.max(bytes, shardBytes.get(key) ?? 0));
          return [key, bytes] as const;
        }),
      ),
    );
  }
  return { disks, shardBytes, copyBytes };
}
