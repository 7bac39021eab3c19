/**
 * Nodes of one worker each, in one process: the hosts, the lifecycle and the changes of the state are the real ones; the
 * link between nodes and the way to the master are in memory and can be slow, lossy or cut.
 */
import { partDirectory } from '../../../src/store/layout.js';
import path from 'node:path';
import { ContextCounters, contextWords } from '../../../src/actions/searches/contexts/context-counters.js';
import { OpenSearchers } from '../../../src/actions/searches/contexts/open-searchers.js';
import { orShardGone, ShardHost } from '../../../src/actions/shard-host.js';
import type { ShardKey } from '../../../src/actions/shard-client.js';
import type { ShardOperation } from '../../../src/actions/shard-operation.js';
import { READS, SHARD_OPERATIONS, type ShardOperationName } from '../../../src/actions/shard-operations.js';
import { RepositoryAccess } from '../../../src/actions/snapshots/repository-access.js';
import type { RepositoryPlaces } from '../../../src/repositories/places.js';
import { Cancellation } from '../../../src/base/cancellation.js';
import { systemClock } from '../../../src/base/clock.js';
import { QuarryError } from '../../../src/base/errors.js';
import { silentLogger } from '../../../src/base/logger.js';
import { IndexingPressure, pressureWords } from '../../../src/base/indexing-pressure.js';
import { systemRandom } from '../../../src/base/random.js';
import { createIndex, type CreateIndexInput } from '../../../src/cluster/changes/indices/create-index.js';
import { nodeJoined, nodeLeft } from '../../../src/cluster/changes/nodes/membership.js';
import { rerouteCluster } from '../../../src/cluster/changes/copies/reroute-cluster.js';
import { recoveryLimits } from '../../../src/cluster/copies/recovery-limits.js';
import { primaryOf } from '../../../src/cluster/copies/shard-copies.js';
import type { ClusterState, NodeRecord, ShardCopy } from '../../../src/cluster/state.js';
import { COMMANDS } from '../../../src/coordinator/commands.js';
import type { CoordinatorClient } from '../../../src/coordinator/client.js';
import { shardLifecycle } from '../../../src/node/worker/shard-lifecycle.js';
import { clusterOfOneNode, environment, indexOf, NODE } from '../../cluster/support.js';

const NO_REPOSITORIES: RepositoryPlaces = {
  paths: [],
  allowedUrls: [],
  s3Clients: {},
  secureSettings: { version: 0, read: () => Promise.resolve({ secureSetting: () => undefined }) },
  clock: systemClock,
};

type AnyOperation = ShardOperation<string, unknown, unknown>;

const SHARD_BUFFER_BYTES = 4 << 20;

export interface Faults {
  /** Chance that a call, or its answer, is lost. */
  readonly loss: number;
  readonly delayMsMax: number;
  /** Between 0 and 1. */
  next(): number;
}

const NO_LIMITS = { coordinatingBytes: Infinity, primaryBytes: Infinity, replicaBytes: Infinity };

export class TestNode {
  readonly record: NodeRecord;
  readonly host: ShardHost;
  isCut = false;

  constructor(record: NodeRecord, host: ShardHost) {
    this.record = record;
    this.host = host;
  }
}

export class InProcessCluster {
  state: ClusterState;
  faults: Faults | undefined;
  private readonly nodes = new Map<string, TestNode>();
  private readonly made = environment();
  private readonly directory: string;
  private runs = 0;

  constructor(directory: string) {
    this.directory = directory;
    const first = { ...NODE, workerSlots: 1 };
    this.state = clusterOfOneNode(first);
    this.addNode(first);
  }

  async join(id: string): Promise<void> {
    const record = { ...NODE, id, name: id, raftId: id, workerSlots: 1, ephemeralId: `run ${++this.runs}` };
    this.addNode(record);
    await this.change(nodeJoined(this.state, { node: record }, this.made).state);
  }

  /** The node is cut off, and the master notices. It goes on believing what it knew. */
  async cutOff(id: string): Promise<void> {
    this.node(id).isCut = true;
    await this.change(nodeLeft(this.state, { nodeId: id }, this.made).state);
  }

  /** The process of a node that was cut off ends; its files stay. */
  async stop(id: string): Promise<void> {
    await this.node(id).host.closeAll();
    this.nodes.delete(id);
  }

  async createIndex(input: CreateIndexInput): Promise<void> {
    await this.change(createIndex(this.state, input, this.made).state);
  }

  /** Moves the primary; resolves when that is decided, not when it is done. */
  async movePrimary(index: string, toNode: string): Promise<void> {
    const fromNode = this.primaryNode(index);
    const command = { kind: 'move', index, shard: 0, fromNode, toNode } as const;
    await this.change(rerouteCluster(this.state, { commands: [command] }, this.made).state);
  }

  key(index: string): ShardKey {
    return { index, indexUuid: indexOf(this.state, index).uuid, shard: 0 };
  }

  copies(index: string): readonly ShardCopy[] {
    return this.state.routing.get(index)?.shards[0] ?? [];
  }

  primaryNode(index: string): string {
    const nodeId = primaryOf(this.copies(index))?.nodeId;
    if (typeof nodeId !== 'string') throw new Error('there is no primary');
    return nodeId;
  }

  async onNode(nodeId: string, key: ShardKey, name: ShardOperationName, input: unknown): Promise<unknown> {
    const shard = await this.node(nodeId).host.shard(key);
    const context = {
      coordinator: this.coordinator(nodeId),
      clusterState: () => this.state,
      clock: systemClock,
      random: systemRandom,
      cancellation: new Cancellation(),
      searchers: new OpenSearchers(systemClock, systemRandom, new ContextCounters(contextWords(1))),
      logger: silentLogger,
      distribution: 'elasticsearch' as const,
      checkAccounting: () => undefined,
      pressure: new IndexingPressure(pressureWords(1), NO_LIMITS, 'elasticsearch'),
      isOfOtherNode: false,
      reads: () => {
        throw new Error('nothing is read from other shards here');
      },
      directoryOfPart: (uuid: string, shard: number, source: number) =>
        partDirectory(path.join(this.directory, nodeId), uuid, shard, source),
      repositories: new RepositoryAccess(NO_REPOSITORIES),
    };
    try {
      return await (SHARD_OPERATIONS[name] as unknown as AnyOperation).run(shard, input, context);
    } catch (error) {
      shard.noticeFailure();
      throw orShardGone(error, shard, READS.has(name));
    }
  }

  async closeAll(): Promise<void> {
    await Promise.all([...this.nodes.values()].map(({ host }) => host.closeAll()));
  }

  private addNode(record: NodeRecord): void {
    const lifecycle = shardLifecycle({
      indicesPath: path.join(this.directory, record.id),
      nodeId: () => record.id,
      coordinator: this.coordinator(record.id),
      logger: silentLogger,
      shardBufferBytes: SHARD_BUFFER_BYTES,
      indexingMemory: () => ({ changed: () => undefined }) as never,
      announceRecovery: () => undefined,
      clusterState: () => this.state,
      startMerge: () => ({ done: Promise.reject(new Error('nothing merges here')), cancel: () => undefined }),
      onCopy: async (key, place, name, input) =>
        (await this.call(record.id, place.nodeId, () =>
          this.onNode(place.nodeId, key, name, structuredClone(input)),
        )) as never,
      forgetContexts: () => undefined,
      repositories: new RepositoryAccess(NO_REPOSITORIES),
      recoveryLimits: () => ({ ...recoveryLimits(this.state), bytesPerSecond: 0 }),
    });
    this.nodes.set(record.id, new TestNode(record, new ShardHost(lifecycle, silentLogger, systemClock)));
  }

  private coordinator(nodeId: string): CoordinatorClient {
    return {
      updateFigures: () => Promise.reject(new Error('nobody asks for them')),
      pendingTasks: () => Promise.resolve({ version: this.state.version, tasks: [] }),
      submit: async (name, input) => {
        const node = this.nodes.get(nodeId);
        if (node?.isCut !== false) throw new QuarryError('master_not_discovered_exception', 'cut off');
        const command = COMMANDS[name] as unknown as {
          reduce(state: ClusterState, input: unknown, made: unknown): { state: ClusterState; result: unknown };
        };
        const { state, result } = command.reduce(this.state, input, this.made);
        await this.change(state);
        return result as never;
      },
    };
  }

  private node(id: string): TestNode {
    const node = this.nodes.get(id);
    if (node === undefined) throw new QuarryError('node_not_connected_exception', `[${id}] is not connected`);
    return node;
  }

  /** Told to every node that can be reached; nobody waits for what shards do about it. */
  private change(state: ClusterState): Promise<void> {
    if (state === this.state) return Promise.resolve();
    this.state = { ...state, version: this.state.version + 1 };
    for (const { record, host, isCut } of this.nodes.values()) {
      if (!isCut && this.state.nodes.get(record.id)?.ephemeralId === record.ephemeralId) {
        void host.apply(this.state, record.id, 0);
      }
    }
    return Promise.resolve();
  }

  private async call(from: string, to: string, run: () => Promise<unknown>): Promise<unknown> {
    const { faults } = this;
    const lost = (): QuarryError => new QuarryError('node_disconnected_exception', `[${to}] disconnected`);
    if (this.node(from).isCut || this.node(to).isCut) throw lost();
    if (faults === undefined) return structuredClone(await run());
    await new Promise((resolve) => setTimeout(resolve, faults.next() * faults.delayMsMax));
    if (faults.next() < faults.loss || this.node(to).isCut) throw lost();
    const answer = await run();
    if (faults.next() < faults.loss || this.node(from).isCut || this.node(to).isCut) throw lost();
    return structuredClone(answer);
  }
}
