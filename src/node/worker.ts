/** One worker: its lines to the other threads, its copy of the state, its shards, and the tasks it is given. */
import type { ActionContext, NodeIdentity, PoolFigures } from '../actions/context.js';
import type { ShardClient, ShardKey } from '../actions/shard-client.js';
import { runNodeAction, type NodeClient } from '../actions/nodes/node-actions.js';
import { OpenSearchers } from '../actions/searches/open-searchers.js';
import { noShardAvailable, orShardGone, ShardHost, type ShardLifecycle } from '../actions/shard-host.js';
import type { ShardOperation } from '../actions/shard-operation.js';
import { SHARD_OPERATIONS, type ShardOperationName } from '../actions/shard-operations.js';
import { assert, must } from '../base/assert.js';
import { Cancellation } from '../base/cancellation.js';
import { systemClock } from '../base/clock.js';
import { QuarryError } from '../base/errors.js';
import { PUBLISH_MS_MAX } from '../base/limits.js';
import type { Logger } from '../base/logger.js';
import { newUuid, systemRandom } from '../base/random.js';
import type { ShardCopy } from '../cluster/state.js';
import type { CoordinatorClient } from '../coordinator/client.js';
import { StateHolder } from '../coordinator/state-holder.js';
import { dispatch, wireRoutes } from '../rest/dispatch.js';
import { ENDPOINTS } from '../rest/endpoints.js';
import type { WireAnswer, WireRequest } from '../rest/wire.js';
import { IndexingMemory, shardBufferBytes } from '../shard/indexing-memory.js';
import type { RunningMerge } from '../shard/managed-shard.js';
import { nameThisThread } from '../store/threads.js';
import { Mailbox } from '../workers/mailbox.js';
import { COORDINATOR, FRONT, workerName, type WireTask } from '../workers/pool.js';
import type { LifecycleServices } from './shard-lifecycle.js';
import type {
  CancelMergeMessage,
  MakeRoomMessage,
  MergeMessage,
  PublishMessage,
  ShardMessage,
  SubmitMessage,
  WorkerStart,
  WorkerTask,
} from './thread-messages.js';

/** A shard operation as it is looked up by name, its own types erased. */
type AnyShardOperation = ShardOperation<string, unknown, unknown>;

type WorkerMessage = PublishMessage | ShardMessage | MakeRoomMessage;

export class WorkerThread {
  private readonly start: WorkerStart;
  private readonly mailboxes = new Map<string, Mailbox>();
  private readonly states = new StateHolder(systemClock);
  private readonly searchers = new OpenSearchers(systemClock);
  private readonly host: ShardHost;
  private readonly logger: Logger;
  private slot = -1;
  private memory: IndexingMemory | undefined;
  private node: NodeIdentity | undefined;

  constructor(start: WorkerStart, makeLifecycle: (thread: LifecycleServices) => ShardLifecycle) {
    this.start = start;
    this.logger = {
      log: (level, message, fields) => this.mailboxes.get(FRONT)?.note({ kind: 'log', level, message, fields }),
    };
    const services: LifecycleServices = {
      indicesPath: start.indicesPath,
      coordinator: this.coordinator(),
      logger: this.logger,
      shardBufferBytes: shardBufferBytes(start.indexingBudgetBytes),
      indexingMemory: () => must(this.memory, 'the indexing memory of a wired worker'),
      startMerge: (job) => this.startMerge(job),
    };
    this.host = new ShardHost(makeLifecycle(services), this.logger, systemClock);
  }

  /** Carries out one task of the pool. */
  async run(task: WorkerTask): Promise<unknown> {
    switch (task.kind) {
      case 'request':
        return this.answer(task.request);
      case 'wire': {
        this.wire(task);
        return;
      }
      case 'describe':
        return wireRoutes(ENDPOINTS);
      case 'identify':
        this.node = task.node;
        await this.whenStateKnown();
        return this.applyState();
      case 'drain':
        return this.host.closeAll();
    }
  }

  private wire(task: WireTask): void {
    if (this.slot === -1) this.takeSlot(task.slot);
    for (const { peer, port } of task.wires) {
      this.mailboxes.get(peer)?.close();
      this.mailboxes.set(peer, new Mailbox(port, peer, (message) => this.receive(message as WorkerMessage)));
    }
  }

  private takeSlot(slot: number): void {
    this.slot = slot;
    nameThisThread(workerName(slot));
    this.memory = new IndexingMemory({
      words: this.start.indexingWords,
      slot,
      budgetBytes: this.start.indexingBudgetBytes,
      askForRoom: (other) =>
        this.mailboxes.get(workerName(other))?.note({ kind: 'make-room' } satisfies MakeRoomMessage),
    });
  }

  private startMerge(job: Uint8Array): RunningMerge {
    const mailbox = this.mailbox(COORDINATOR);
    const id = newUuid(systemRandom);
    const done = mailbox.call({ kind: 'merge', id, job } satisfies MergeMessage) as Promise<Uint8Array>;
    const cancel = (): void => {
      mailbox.note({ kind: 'cancel-merge', id } satisfies CancelMergeMessage);
    };
    return { done, cancel };
  }

  private async whenStateKnown(): Promise<void> {
    if (this.states.isKnown || (await this.states.when(() => true, PUBLISH_MS_MAX)) !== undefined) return;
    const reason = `[${workerName(this.slot)}] was not told the cluster state within [${PUBLISH_MS_MAX / 1_000}s]`;
    throw new QuarryError('unavailable_shards_exception', reason);
  }

  private async receive(message: WorkerMessage): Promise<unknown> {
    switch (message.kind) {
      case 'shard':
        // A worker that took the place of a crashed one may be asked before it was told what it owns.
        await this.whenStateKnown();
        return this.runOnOwnShard(message.key, message.name, message.input, new Cancellation(message.cancellation));
      case 'make-room':
        this.memory?.makeRoom();
        return undefined;
      case 'publish': {
        this.states.apply(message.publication);
        return this.applyState();
      }
    }
  }

  /** Places that the state gives to an earlier run of this node mean nothing: it has to be let in anew. */
  private async applyState(): Promise<void> {
    const { current: state } = this.states;
    const record = this.node === undefined ? undefined : state.nodes.get(this.node.id);
    const isOfEarlierRun = record !== undefined && record.ephemeralId !== this.node?.ephemeralId;
    if (this.node !== undefined && !isOfEarlierRun) await this.host.apply(state, this.node.id, this.slot);
  }

  private async answer(request: WireRequest): Promise<WireAnswer> {
    const endpoint = must(ENDPOINTS[request.endpoint], 'endpoint');
    return dispatch(endpoint, request, this.context(new Cancellation(request.cancellation)));
  }

  private context(cancellation: Cancellation): ActionContext {
    return {
      clusterState: () => this.states.current,
      whenState: (holds, timeoutMs) => this.states.when(holds, timeoutMs),
      poolFigures: async () => (await this.mailbox(FRONT).call({ kind: 'pools' })) as Record<string, PoolFigures>,
      coordinator: this.coordinator(),
      shards: this.shards(cancellation),
      nodes: this.nodes(cancellation),
      node: must(this.node, 'node identity'),
      settings: this.start.settings,
      clock: systemClock,
      random: systemRandom,
      logger: this.logger,
      cancellation,
    };
  }

  private coordinator(): CoordinatorClient {
    return {
      submit: async (name, input, options) => {
        const message: SubmitMessage = { kind: 'submit', name, input, ...options };
        // The result crossed from the command that this name stands for.
        return (await this.mailbox(COORDINATOR).call(message)) as never;
      },
    };
  }

  private shards(cancellation: Cancellation): ShardClient {
    return {
      onShard: async (key, name, input) => {
        const slot = this.ownerOf(key);
        if (slot === this.slot) return (await this.runOnOwnShard(key, name, input, cancellation)) as never;
        const message: ShardMessage = { kind: 'shard', key, name, input, cancellation: cancellation.word };
        return (await this.mailbox(workerName(slot)).call(message)) as never;
      },
      // Nobody holds the files, and every worker of the node reaches them.
      lastCommit: (key) => this.host.lastCommit(key),
    };
  }

  private nodes(cancellation: Cancellation): NodeClient {
    return {
      onNode: async (nodeId, name, input) => {
        if (nodeId === this.node?.id) return (await runNodeAction(this.context(cancellation), name, input)) as never;
        throw new QuarryError('node_not_connected_exception', `[${nodeId}] is not connected`);
      },
    };
  }

  /** The worker that owns the primary. */
  private ownerOf(key: ShardKey): number {
    const routing = this.states.current.routing.get(key.index);
    const primary: ShardCopy | undefined =
      routing?.index.uuid === key.indexUuid ? routing.shards[key.shard]?.[0] : undefined;
    if (primary?.workerSlot !== null && primary?.workerSlot !== undefined) return primary.workerSlot;
    throw noShardAvailable(key, primary?.unassigned?.details);
  }

  private async runOnOwnShard(
    key: ShardKey,
    name: ShardOperationName,
    input: unknown,
    cancellation: Cancellation,
  ): Promise<unknown> {
    const operation = (SHARD_OPERATIONS as unknown as Record<string, AnyShardOperation>)[name];
    assert(operation !== undefined, `unknown shard operation [${name}]`);
    const shard = await this.host.shard(key);
    cancellation.throwIfCancelled();
    const services = {
      coordinator: this.coordinator(),
      clock: systemClock,
      random: systemRandom,
      cancellation,
      searchers: this.searchers,
    };
    try {
      return await operation.run(shard, input, services);
    } catch (error) {
      shard.noticeFailure();
      throw orShardGone(error, key, shard.shutBecause);
    }
  }

  private mailbox(peer: string): Mailbox {
    const mailbox = this.mailboxes.get(peer);
    if (mailbox === undefined) throw new QuarryError('unavailable_shards_exception', `[${peer}] is not available`);
    return mailbox;
  }
}
