/**
 * Finds what is left of lost copies: asks nodes what lies in their directories of shards that wait for a copy. Their answers
 * give primaries back to whichever node has one in sync, and replicas to nodes that have most of one.
 */
import type { Clock } from '../base/clock.js';
import type { Logger } from '../base/logger.js';
import { shardKey, type ClusterInfo, type ShardStore } from '../cluster/disks/cluster-info.js';
import { effectiveClusterSettings } from '../cluster/settings/effective-cluster-settings.js';
import { storeBeside, type FoundStore } from '../cluster/nodes/node-reports.js';
import { DiskSettingDefinitions } from '../cluster/settings/disk-settings.js';
import { valueOf } from '../cluster/settings/registry.js';
import { isActive, primaryOf } from '../cluster/copies/shard-copies.js';
import { shardStoresWanted, stillTrueStores } from '../cluster/copies/shard-stores-wanted.js';
import type { ClusterState, NodeRecord } from '../cluster/state.js';
import { reasonOf, type Coordinator } from './coordinator.js';

/** Names one shard. */
export interface WantedShard {
  readonly index: string;
  readonly indexUuid: string;
  readonly shard: number;
}

/** Gives for each shard what the node found; null for nothing. */
export type AskForStores = (
  node: NodeRecord,
  shards: readonly WantedShard[],
  timeoutMs: number,
) => Promise<readonly (FoundStore | null)[]>;

export interface StoreFinderOptions {
  readonly coordinator: Pick<Coordinator, 'current' | 'submitHere'>;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly ask: AskForStores;
  /** Is told whenever what is known has changed. */
  readonly found: (stores: ClusterInfo['shardStores']) => void;
}

/** Shards in one question. */
const SHARDS_MAX = 1_000;
/** Before a node is asked again that did not answer. */
const RETRY_MS = 1_000;

export class StoreFinder {
  private readonly options: StoreFinderOptions;
  private stores: ClusterInfo['shardStores'] = new Map();
  private state: ClusterState | undefined;
  /** By node and shard: questions whose answers are still to be believed. */
  private readonly asked = new Map<string, symbol>();
  private stopTimer = (): void => undefined;
  private isOver = false;

  constructor(options: StoreFinderOptions) {
    this.options = options;
  }

  begin(state: ClusterState): void {
    this.state = state;
  }

  end(): void {
    this.isOver = true;
    this.asked.clear();
    this.stopTimer();
  }

  follow(state: ClusterState): void {
    const before = this.state ?? state;
    this.state = state;
    const kept = stillTrueStores(this.stores, before, state);
    if (kept !== this.stores) this.keep(kept);
    for (const question of this.asked.keys()) {
      if (!isOpenQuestion(question, before, state)) this.asked.delete(question);
    }
    this.askForWanted(state);
  }

  private keep(stores: ClusterInfo['shardStores']): void {
    this.stores = stores;
    this.options.found(stores);
  }

  private askForWanted(state: ClusterState): void {
    const byNode = new Map<string, WantedShard[]>();
    for (const { nodeIds, ...shard } of shardStoresWanted(state, this.stores)) {
      for (const nodeId of nodeIds) {
        if (this.asked.has(questionOf(nodeId, shard))) continue;
        byNode.set(nodeId, [...(byNode.get(nodeId) ?? []), shard]);
      }
    }
    const primaries = new PrimaryStores(state, (node, shards) => this.ask(node, shards));
    for (const [nodeId, shards] of byNode) {
      const node = state.nodes.get(nodeId);
      for (let from = 0; node !== undefined && from < shards.length; from += SHARDS_MAX) {
        this.askNode(node, shards.slice(from, from + SHARDS_MAX), primaries);
      }
    }
  }

  private ask(node: NodeRecord, shards: readonly WantedShard[]): Promise<readonly (FoundStore | null)[]> {
    const settings = effectiveClusterSettings(this.options.coordinator.current);
    return this.options.ask(node, shards, valueOf(DiskSettingDefinitions.clusterInfoTimeout, settings) ?? 0);
  }

  private askNode(node: NodeRecord, shards: readonly WantedShard[], primaries: PrimaryStores): void {
    const token = Symbol(node.name);
    for (const shard of shards) this.asked.set(questionOf(node.id, shard), token);
    const { logger, coordinator } = this.options;
    const answered = async (): Promise<void> => {
      const found = await this.ask(node, shards);
      const beside = await Promise.all(
        shards.map(async (shard, at) => (found[at] == null ? undefined : await primaries.of(shard))),
      );
      const isNews = this.hear(node.id, shards, found, beside, token);
      if (isNews) await coordinator.submitHere('reroute', {});
    };
    answered().catch((error: unknown) => {
      this.forget(node.id, shards, token);
      if (this.isOver) return;
      logger.log('info', 'a node did not tell what it has of lost shards', {
        node: node.name,
        reason: reasonOf(error),
      });
      this.stopTimer();
      this.stopTimer = this.options.clock.schedule(RETRY_MS, () => {
        if (this.state !== undefined) this.askForWanted(this.state);
      });
    });
  }

  /** Whether anything of the answer is still true. */
  private hear(
    nodeId: string,
    shards: readonly WantedShard[],
    found: readonly (FoundStore | null)[],
    beside: readonly (FoundStore | null | undefined)[],
    token: symbol,
  ): boolean {
    const stores = new Map(this.stores);
    let isNews = false;
    for (const [at, shard] of shards.entries()) {
      if (this.asked.get(questionOf(nodeId, shard)) !== token) continue;
      const store = found[at] ?? null;
      const key = shardKey(shard.indexUuid, shard.shard);
      const answers = new Map<string, ShardStore | null>(stores.get(key));
      stores.set(key, answers.set(nodeId, store === null ? null : storeBeside(store, beside[at])));
      isNews = true;
    }
    this.forget(nodeId, shards, token);
    if (isNews) this.keep(stores);
    return isNews;
  }

  private forget(nodeId: string, shards: readonly WantedShard[], token: symbol): void {
    for (const shard of shards) {
      const question = questionOf(nodeId, shard);
      if (this.asked.get(question) === token) this.asked.delete(question);
    }
  }
}

/** What the nodes of active primaries have, each asked once. */
class PrimaryStores {
  private readonly state: ClusterState;
  private readonly ask: (node: NodeRecord, shards: readonly WantedShard[]) => Promise<readonly (FoundStore | null)[]>;
  private readonly known = new Map<string, Promise<FoundStore | null | undefined>>();

  constructor(state: ClusterState, ask: PrimaryStores['ask']) {
    this.state = state;
    this.ask = ask;
  }

  /** Undefined where there is no active primary, or its node does not tell. */
  of(shard: WantedShard): Promise<FoundStore | null | undefined> {
    const key = shardKey(shard.indexUuid, shard.shard);
    let store = this.known.get(key);
    if (store === undefined) {
      store = this.askFor(shard).catch(() => undefined);
      this.known.set(key, store);
    }
    return store;
  }

  private async askFor(shard: WantedShard): Promise<FoundStore | null | undefined> {
    const primary = primaryOf(this.state.routing.get(shard.index)?.shards[shard.shard] ?? []);
    const node = primary !== undefined && isActive(primary) ? this.state.nodes.get(primary.nodeId ?? '') : undefined;
    return node === undefined ? undefined : (await this.ask(node, [shard]))[0];
  }
}

function questionOf(nodeId: string, { index, indexUuid, shard }: WantedShard): string {
  return JSON.stringify([nodeId, index, indexUuid, shard]);
}

/** The answer is of this run of the node, about a directory in which nobody began to work meanwhile. */
function isOpenQuestion(question: string, before: ClusterState, after: ClusterState): boolean {
  const [nodeId, index, indexUuid, shard] = JSON.parse(question) as [string, string, string, number];
  const routing = after.routing.get(index);
  const isSameRun = before.nodes.get(nodeId)?.ephemeralId === after.nodes.get(nodeId)?.ephemeralId;
  if (!isSameRun || !after.nodes.has(nodeId) || routing?.index.uuid !== indexUuid) return false;
  return (routing.shards[shard] ?? []).every((copy) => copy.nodeId !== nodeId);
}
