/** One worker: its lines to the other threads and nodes, its copy of the state, its shards, and the tasks it is given. */
import type { ActionContext, NodeIdentity } from '../actions/context.js';
import type { FrontFigures } from '../actions/front-figures.js';
import { CopyRanks } from '../actions/copy-ranks.js';
import { shardName, type CopyPlace, type ShardKey } from '../actions/shard-client.js';
import { runNodeAction } from '../actions/nodes/node-actions.js';
import { AsyncSearches } from '../actions/searches/async/async-searches.js';
import { ContextCounters } from '../actions/searches/context-counters.js';
import { OpenSearchers } from '../actions/searches/open-searchers.js';
import { PreparedSearches } from '../actions/searches/prepared-searches.js';
import type { ReadContext } from '../actions/read-from-copies.js';
import { orShardGone, ShardHost, type ShardLifecycle } from '../actions/shard-host.js';
import {
  departedShard,
  type OpenShard,
  type ShardOperation,
  type ShardOperationContext,
  type ViewedShard,
} from '../actions/shard-operation.js';
import { OPERATION_LEVELS, SHARD_OPERATIONS, type ShardOperationName } from '../actions/shard-operations.js';
import { must } from '../base/assert.js';
import { Cancellation } from '../base/cancellation.js';
import { systemClock } from '../base/clock.js';
import { QuarryError } from '../base/errors.js';
import { PUBLISH_MS_MAX } from '../base/limits.js';
import type { Logger } from '../base/logger.js';
import { newUuid, systemRandom } from '../base/random.js';
import { TurnOfLoop } from '../base/turn-of-loop.js';
import { Turns } from '../base/turns.js';
import { globalBlock } from '../cluster/global-blocks.js';
import { IngestService } from '../ingest/ingest-service.js';
import { nativeScripts } from '../ingest/scripts.js';
import type { IngestFigures } from '../ingest/statistics.js';
import { recoveryLimits } from '../cluster/recovery-limits.js';
import type { ClusterState } from '../cluster/state.js';
import type { CoordinatorClient } from '../coordinator/client.js';
import type { MasterWork } from '../coordinator/pending-tasks.js';
import { StateHolder } from '../coordinator/state-holder.js';
import { dispatch, wireRoutes } from '../rest/dispatch.js';
import { ENDPOINTS } from '../rest/endpoints.js';
import { unpackRequest, type WireAnswer, type WireRequest } from '../rest/wire.js';
import { IndexingMemory, shardBufferBytes } from '../shard/indexing-memory.js';
import type { RunningMerge } from '../shard/managed-shard.js';
import { partDirectory } from '../store/layout.js';
import { nameThisThread } from '../store/threads.js';
import { ClientTraffic } from '../transport/client-traffic.js';
import { decodeMessage, encodeMessage } from '../transport/codec.js';
import { Mailbox, type MailOrder } from '../workers/mailbox.js';
import { MessageTurns } from '../workers/message-turns.js';
import { COORDINATOR, FRONT, workerName, type WireTask } from '../workers/wires.js';
import { OtherNodes } from './other-nodes.js';
import { unpackPublication } from './packed-publication.js';
import { ScriptServices } from './script-services.js';
import { PublishedCopies } from './published-copies.js';
import { NodeCalls, type NodeCallServices } from './node-calls.js';
import { ShardCalls, type ShardCallServices } from './shard-calls.js';
import { announceWhile, TaskCalls, type TaskOrigin } from './task-calls.js';
import type { LifecycleServices } from './shard-lifecycle.js';
import type {
  CancelMergeMessage,
  IngestFiguresMessage,
  MakeRoomMessage,
  MergeMessage,
  PendingTasksMessage,
  RemoteMessage,
  RemoteRequests,
  RemoteShardAnswer,
  RemoteShardRequest,
  SubmitMessage,
  WorkerStart,
  WorkerTask,
} from './thread-messages.js';
import { laneOf, type WorkerMessage } from './worker-messages.js';

/** A shard operation as it is looked up by name, its own types erased. */
type AnyShardOperation = ShardOperation<string, unknown, unknown>;

/** What a worker reaches shards and nodes by, once it knows its slot. */
interface WiredServices {
  readonly shardCalls: ShardCallServices;
  readonly nodeCalls: NodeCallServices;
}

export class WorkerThread {
  private readonly start: WorkerStart;
  private readonly mailboxes = new Map<string, Mailbox>();
  private readonly states = new StateHolder(systemClock);
  private readonly contextCounters: ContextCounters;
  private readonly searchers: OpenSearchers;
  private readonly asyncSearches = new AsyncSearches(systemClock, systemRandom);
  private readonly preparedSearches = new PreparedSearches();
  private readonly publishedCopies: PublishedCopies;
  private readonly host: ShardHost;
  private readonly ranks = new CopyRanks();
  private readonly logger: Logger;
  private readonly scripts: ScriptServices;
  private readonly taskServices = {
    nodeId: () => this.identity().id,
    front: () => this.mailbox(FRONT),
    others: () => this.otherNodes(),
    contextOf: (origin: TaskOrigin) => this.context(origin),
  };
  private readonly clusterState = (): ClusterState => this.states.current;
  private readonly whenState: ActionContext['whenState'] = (...wanted) => this.states.when(...wanted);
  private readonly frontFigures = async (): Promise<FrontFigures> =>
    (await this.mailbox(FRONT).call({ kind: 'figures' })) as FrontFigures;
  /** Of every worker of this node. */
  private readonly ingestFigures = async (): Promise<readonly IngestFigures[]> => {
    const others = [...this.mailboxes].filter(([peer]) => peer !== FRONT && peer !== COORDINATOR);
    const message: IngestFiguresMessage = { kind: 'ingest-figures' };
    const answers = await Promise.all(others.map(([, mailbox]) => mailbox.call(message)));
    return [this.ingest.statistics.figures(), ...(answers as IngestFigures[])];
  };
  private readonly coordinator: CoordinatorClient = {
    submit: async (name, input, options) => {
      const message: SubmitMessage = { kind: 'submit', name, input, ...options };
      // The result crossed from the command that this name stands for.
      return (await this.mailbox(COORDINATOR).call(message)) as never;
    },
    pendingTasks: async (options) => {
      const message: PendingTasksMessage = { kind: 'pending-tasks', ...options };
      return (await this.mailbox(COORDINATOR).call(message)) as MasterWork;
    },
  };
  private readonly directoryOfPart = (uuid: string, shard: number, source: number): string =>
    partDirectory(this.start.indicesPath, uuid, shard, source);
  private readonly mailOrder: MailOrder = {
    turns: new MessageTurns(systemClock),
    laneOf: (message) => laneOf(message as WorkerMessage),
  };
  private readonly turns = new Turns(systemClock, () => this.servedMore());
  private readonly loop = new TurnOfLoop(systemClock);
  /** Requests that the front had had answered when it was asked last. */
  private servedBefore = 0;
  private readonly ingest: IngestService;
  private slot = -1;
  private memory: IndexingMemory | undefined;
  private node: NodeIdentity | undefined;
  private wiredServices: WiredServices | undefined;
  /** Operations on shards of this worker that are under way. */
  private operations = 0;

  constructor(start: WorkerStart, makeLifecycle: (thread: LifecycleServices) => ShardLifecycle) {
    this.start = start;
    this.contextCounters = new ContextCounters(start.contextWords);
    this.searchers = new OpenSearchers(systemClock, systemRandom, this.contextCounters);
    this.publishedCopies = new PublishedCopies(start.indicesPath);
    this.scripts = new ScriptServices(start.settings.values);
    const distribution = start.settings.values['compatibility.distribution'];
    this.ingest = new IngestService(systemClock, distribution, nativeScripts);
    this.logger = {
      log: (level, message, fields) => this.mailboxes.get(FRONT)?.note({ kind: 'log', level, message, fields }),
    };
    const services: LifecycleServices = {
      indicesPath: start.indicesPath,
      nodeId: () => this.identity().id,
      coordinator: this.coordinator,
      logger: this.logger,
      shardBufferBytes: shardBufferBytes(start.indexingBudgetBytes),
      indexingMemory: () => must(this.memory, 'the indexing memory of a wired worker'),
      startMerge: (job, what) => this.startMerge(job, what),
      announceRecovery: (what, ended) => {
        void announceWhile(this.mailboxes.get(FRONT), 'internal:index/shard/recovery', `recovery of ${what}`, ended);
      },
      clusterState: this.clusterState,
      onCopy: (key, place, name, input) => this.reads(new Cancellation()).shards.onCopy(key, place, name, input),
      recoveryLimits: () => recoveryLimits(this.states.current),
      forgetContexts: (shard) => {
        this.searchers.forget(shard);
      },
    };
    this.host = new ShardHost(makeLifecycle(services), this.logger, systemClock);
  }

  /** Carries out one task of the pool. */
  async run(task: WorkerTask): Promise<unknown> {
    switch (task.kind) {
      case 'wire':
        return this.wire(task);
      case 'describe':
        return wireRoutes(ENDPOINTS, this.start.settings.values['compatibility.distribution']);
      case 'drain':
        await this.host.closeAll();
        return this.otherNodes().close();
    }
  }

  private async wire(task: WireTask<NodeIdentity>): Promise<void> {
    // Before the lines: what comes over them finds a worker that knows its slot and its node.
    if (this.slot === -1) this.takeSlot(task.slot, task.introduction);
    for (const { peer, port } of task.wires) {
      this.mailboxes.get(peer)?.close();
      const receive = (message: unknown): unknown => this.receive(message as WorkerMessage);
      this.mailboxes.set(peer, new Mailbox(port, peer, receive, this.mailOrder));
    }
    await this.whenStateKnown();
  }

  private takeSlot(slot: number, node: NodeIdentity): void {
    this.slot = slot;
    this.node = node;
    const clusterName = this.start.settings.values['cluster.name'];
    const traffic = new ClientTraffic(this.start.trafficWords);
    const options = { clusterName, nodeId: node.id, clock: systemClock, traffic };
    const others = new OtherNodes(options, this.clusterState);
    this.wiredServices = this.servicesOf({ nodeId: node.id, workerSlot: slot }, others);
    this.contextCounters.takeSlot(slot);
    nameThisThread(workerName(slot));
    this.memory = new IndexingMemory({
      words: this.start.indexingWords,
      slot,
      budgetBytes: this.start.indexingBudgetBytes,
      askForRoom: (other) =>
        this.mailboxes.get(workerName(other))?.note({ kind: 'make-room' } satisfies MakeRoomMessage),
    });
  }

  private servicesOf(here: CopyPlace, others: OtherNodes): WiredServices {
    const callWorker = (slot: number, message: unknown): Promise<unknown> =>
      this.mailbox(workerName(slot)).call(message);
    const shardCalls: ShardCallServices = {
      here,
      clock: systemClock,
      ranks: this.ranks,
      others,
      clusterState: this.clusterState,
      runHere: this.runOnOwnShard.bind(this),
      readHere: this.readOfOther.bind(this),
      lastCommitHere: (key) => this.host.lastCommit(key),
      recoveryHere: (key) => this.host.recovery(key),
      callWorker,
    };
    return { shardCalls, nodeCalls: { here, others, contextOf: (origin) => this.context(origin), callWorker } };
  }

  private startMerge(job: Uint8Array, what: string): RunningMerge {
    const mailbox = this.mailbox(COORDINATOR);
    const id = newUuid(systemRandom);
    const done = mailbox.call({ kind: 'merge', id, job } satisfies MergeMessage) as Promise<Uint8Array>;
    void announceWhile(this.mailboxes.get(FRONT), 'internal:index/shard/merge', what, done);
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
      case 'request':
        return this.answer(unpackRequest(message.request));
      case 'shard':
        // A worker that took the place of a crashed one may be asked before it was told the state.
        await this.whenStateKnown();
        return this.runOnOwnShard(message.key, message.name, message.input, new Cancellation(message.cancellation));
      case 'recovery':
        return this.host.recovery(message.key);
      case 'node': {
        await this.whenStateKnown();
        const { name, input, cancellation } = message;
        const origin = { cancellation: new Cancellation(cancellation), number: 0, opaqueId: '' };
        return runNodeAction(this.context(origin), name, input);
      }
      case 'remote':
        return encodeMessage(await this.answerRemote(message));
      case 'ingest-figures':
        return this.ingest.statistics.figures();
      case 'make-room':
        this.memory?.makeRoom();
        return undefined;
      case 'publish': {
        this.states.apply(unpackPublication(message.publication));
        return this.applyState();
      }
    }
  }

  /** What the message holds lies in memory that is used again once it is answered. */
  private async answerRemote({ action, bytes, cancellation: word, task }: RemoteMessage): Promise<unknown> {
    await this.whenStateKnown();
    const cancellation = new Cancellation(word);
    const request = decodeMessage(bytes);
    switch (action) {
      case 'shard':
        return this.answerShardRequest(request as RemoteShardRequest, cancellation);
      case 'last-commit':
        return this.host.lastCommit(request as RemoteRequests['last-commit']);
      case 'recovery':
        return this.host.recovery(request as RemoteRequests['recovery']) ?? null;
      case 'node': {
        const { name, input } = request as RemoteRequests['node'];
        return runNodeAction(this.context({ cancellation, number: task, opaqueId: '' }), name, input);
      }
      default:
        throw new QuarryError('action_not_found_transport_exception', `there is no action [${action}] of workers`);
    }
  }

  private async answerShardRequest(
    { key, name, input, stateVersion }: RemoteShardRequest,
    cancellation: Cancellation,
  ): Promise<RemoteShardAnswer> {
    // Without that state by then the shard is not found, and the sender looks for it anew.
    await this.states.when(({ version }) => version >= stateVersion, PUBLISH_MS_MAX);
    const queue = this.operations;
    const startedMs = systemClock.monotonicMs();
    const output = await this.runOnOwnShard(key, name, input, cancellation);
    return { output, serviceMs: systemClock.monotonicMs() - startedMs, queue };
  }

  /** Places that the state gives to an earlier run of this node mean nothing: it has to be let in anew. */
  private async applyState(): Promise<void> {
    const { current: state } = this.states;
    const self = this.identity();
    this.otherNodes().follow(state);
    this.scripts.follow(state);
    this.ingest.follow(state);
    this.ranks.keepOnly((nodeId) => state.nodes.has(nodeId));
    this.searchers.follow(state);
    const record = state.nodes.get(self.id);
    const isOfEarlierRun = record !== undefined && record.ephemeralId !== self.ephemeralId;
    if (!isOfEarlierRun) await this.host.apply(state, self.id, this.slot);
  }

  private async answer(request: WireRequest): Promise<WireAnswer> {
    const endpoint = must(ENDPOINTS[request.endpoint], 'endpoint');
    const { cancellation: words, task: number, headers } = request;
    const origin = { cancellation: new Cancellation(words), number, opaqueId: headers.opaqueId };
    return dispatch(endpoint, request, this.context(origin));
  }

  /** Made for each request: what is the same for all of them is made once. */
  private context(origin: TaskOrigin): ActionContext {
    const { cancellation, number } = origin;
    const { shardCalls, nodeCalls } = this.wired();
    return {
      clusterState: this.clusterState,
      whenState: this.whenState,
      frontFigures: this.frontFigures,
      ingest: this.ingest,
      ingestFigures: this.ingestFigures,
      coordinator: this.coordinator,
      shards: new ShardCalls(shardCalls, cancellation, number),
      nodes: new NodeCalls(nodeCalls, origin),
      tasks: new TaskCalls(this.taskServices, origin),
      asyncSearches: this.asyncSearches,
      preparedSearches: this.preparedSearches,
      workerSlot: this.slot,
      turns: this.turns,
      loop: this.loop,
      node: this.identity(),
      settings: this.start.settings,
      clock: systemClock,
      random: systemRandom,
      logger: this.logger,
      cancellation,
    };
  }

  private reads(cancellation: Cancellation): ReadContext {
    const { clusterState } = this;
    const shards = new ShardCalls(this.wired().shardCalls, cancellation, 0);
    return { clusterState, clock: systemClock, shards, cancellation, node: this.identity() };
  }

  /** Whether the node served searches and writes since the last call. */
  private async servedMore(): Promise<boolean> {
    const { pools } = await this.frontFigures();
    const served = (pools['search']?.completed ?? 0) + (pools['write']?.completed ?? 0);
    const isMore = served !== this.servedBefore || (pools['search']?.active ?? 0) > 0;
    this.servedBefore = served;
    return isMore;
  }

  private identity(): NodeIdentity {
    return must(this.node, 'node identity');
  }

  private otherNodes(): OtherNodes {
    return this.wired().shardCalls.others;
  }

  private wired(): WiredServices {
    return must(this.wiredServices, 'lines of a wired worker');
  }

  private async runOnOwnShard(
    key: ShardKey,
    name: ShardOperationName,
    input: unknown,
    cancellation: Cancellation,
  ): Promise<unknown> {
    const operation = shardOperation(name);
    this.checkBlocks(name);
    const services = this.operationContext(cancellation);
    let shard: OpenShard;
    try {
      shard = await this.host.shard(key);
    } catch (error) {
      return this.runOnView(key, operation, input, services, error);
    }
    cancellation.throwIfCancelled();
    this.operations++;
    try {
      return await operation.run(shard, input, services);
    } catch (error) {
      shard.noticeFailure();
      throw orShardGone(error, key, shard.shutBecause);
    } finally {
      this.operations--;
    }
  }

  /** On the newest view of a copy that another worker of this node owns; undefined where only that one can. */
  private readOfOther(
    key: ShardKey,
    name: ShardOperationName,
    input: unknown,
    cancellation: Cancellation,
  ): Promise<unknown> | undefined {
    const { onView } = shardOperation(name);
    if (onView?.isForAnyone(input) !== true) return undefined;
    // Before there is a view that would have to be let go of.
    this.checkBlocks(name);
    const searcher = this.publishedCopies.searcherOf(key);
    if (searcher === undefined) return undefined;
    const shard: ViewedShard = { office: 'viewed', key, searcher: () => searcher };
    return Promise.resolve(onView.run(shard, input, this.operationContext(cancellation)));
  }

  private checkBlocks(name: ShardOperationName): void {
    const level = OPERATION_LEVELS[name];
    const block = level === undefined ? undefined : globalBlock(this.states.current, this.identity(), level);
    if (block !== undefined) throw block;
  }

  private operationContext(cancellation: Cancellation): ShardOperationContext {
    return {
      coordinator: this.coordinator,
      clusterState: this.clusterState,
      clock: systemClock,
      random: systemRandom,
      cancellation,
      logger: this.logger,
      reads: () => this.reads(cancellation),
      searchers: this.searchers,
      directoryOfPart: this.directoryOfPart,
    };
  }

  /** The copy went elsewhere or belongs to another worker; a view of it may still be held here. */
  private runOnView(
    key: ShardKey,
    { onView }: AnyShardOperation,
    input: unknown,
    services: ShardOperationContext,
    absent: unknown,
  ): unknown {
    const view = onView?.viewOf(input);
    if (onView === undefined || view === undefined || !this.searchers.holds(view, shardName(key))) throw absent;
    return onView.run(departedShard(key), input, services);
  }

  private mailbox(peer: string): Mailbox {
    const mailbox = this.mailboxes.get(peer);
    if (mailbox === undefined) throw new QuarryError('unavailable_shards_exception', `[${peer}] is not available`);
    return mailbox;
  }
}

function shardOperation(name: string): AnyShardOperation {
  const operations = SHARD_OPERATIONS as unknown as Readonly<Record<string, AnyShardOperation>>;
  const operation = Object.hasOwn(operations, name) ? operations[name] : undefined;
  if (operation !== undefined) return operation;
  throw new QuarryError('action_not_found_transport_exception', `there is no operation [${name}] of shards`);
}
