/** One worker: its lines to the other threads and nodes, its copy of the state, its shards, and the tasks it is given. */
import type { ActionContext, NodeIdentity } from '../../actions/context.js';
import type { FrontFigures } from '../../actions/front-figures.js';
import { CopyRanks } from '../../actions/copy-ranks.js';
import type { CopyPlace } from '../../actions/shard-client.js';
import { runNodeAction } from '../../actions/nodes/node-actions.js';
import { AsyncSearches } from '../../actions/searches/async/async-searches.js';
import { ContextCounters } from '../../actions/searches/contexts/context-counters.js';
import { OpenSearchers } from '../../actions/searches/contexts/open-searchers.js';
import { PreparedSearches } from '../../actions/searches/prepared-searches.js';
import type { ReadContext } from '../../actions/read-from-copies.js';
import { ShardHost, type ShardLifecycle } from '../../actions/shard-host.js';
import type { RepositoryAccess } from '../../actions/snapshots/repository-access.js';
import type { ShardOperationContext } from '../../actions/shard-operation.js';
import { must } from '../../base/assert.js';
import { BreakerWords } from '../../base/breakers.js';
import { Cancellation } from '../../base/cancellation.js';
import { systemClock } from '../../base/clock.js';
import { QuarryError } from '../../base/errors.js';
import { PUBLISH_MS_MAX } from '../../base/limits.js';
import { named, type Logger } from '../../base/logger.js';
import { newUuid, systemRandom } from '../../base/random.js';
import { TurnOfLoop } from '../../base/turn-of-loop.js';
import { Turns } from '../../base/turns.js';
import { IngestService } from '../../ingest/ingest-service.js';
import { nativeScripts } from '../../ingest/scripts.js';
import type { IngestFigures } from '../../ingest/statistics.js';
import { effectiveClusterSettings } from '../../cluster/settings/effective-cluster-settings.js';
import { recoveryLimits } from '../../cluster/copies/recovery-limits.js';
import { breakerLimits } from '../../cluster/settings/breaker-settings.js';
import type { ClusterState } from '../../cluster/state.js';
import { NO_SUBJECT, readSubject } from '../../cluster/security/subject-text.js';
import type { CoordinatorClient } from '../../coordinator/client.js';
import type { MasterWork } from '../../coordinator/pending-tasks.js';
import type { UpdateFigures } from '../../coordinator/update-figures.js';
import { StateHolder } from '../../coordinator/state-holder.js';
import { AnswersAtOnce } from '../../rest/answers-at-once.js';
import { dispatch, wireRoutes } from '../../rest/dispatch.js';
import { ENDPOINTS } from '../../rest/endpoints.js';
import type { WireAnswer, WireRequest } from '../../rest/wire.js';
import { IndexingMemory, shardBufferBytes } from '../../shard/indexing-memory.js';
import type { RunningMerge } from '../../shard/managed-shard.js';
import { partDirectory } from '../../store/layout.js';
import { nameThisThread } from '../../store/threads.js';
import { ClientTraffic } from '../../transport/client-traffic.js';
import { decodeMessage, encodeMessage } from '../../transport/codec.js';
import { Mailbox, type Line, type MailOrder } from '../../workers/mailbox.js';
import { MessageTurns } from '../../workers/message-turns.js';
import { WorkerSlots } from '../../workers/worker-slots.js';
import { COORDINATOR, FRONT, isWorkerName, workerName, type WireTask } from '../../workers/wires.js';
import { Authorities } from './authorities.js';
import { AccountedMemory } from './accounted-memory.js';
import { ClientRequests } from './client-requests.js';
import { LocalOperations } from './local-operations.js';
import { OtherNodes } from '../other-nodes.js';
import { unpackPublication } from '../packed-publication.js';
import { ScriptServices } from './script-services.js';
import { SecureSettingsCopy } from './secure-settings-copy.js';
import { PublishedCopies } from './published-copies.js';
import { ServedRequests } from './served-requests.js';
import { NodeCalls, type NodeCallServices } from './node-calls.js';
import { ShardCalls, type ShardCallServices } from './shard-calls.js';
import { announceWhile, TaskCalls, type TaskOrigin } from './task-calls.js';
import { SecurityCalls } from './security-calls.js';
import type { LifecycleServices } from './shard-lifecycle.js';
import type {
  CancelMergeMessage,
  FrontMessage,
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
} from '../thread-messages.js';
import { laneOf, type WorkerMessage } from './worker-messages.js';
import { workerRepositories } from './worker-repositories.js';

/** What a thread has already that is not of the pool. */
export interface ThreadParts {
  /** To the coordinator, the front and the workers, as they are at any time. */
  readonly lines: Map<string, Line>;
  readonly states: StateHolder;
}

/** What a worker reaches shards and nodes by, once it knows its slot. */
interface WiredServices {
  readonly shardCalls: ShardCallServices;
  readonly nodeCalls: NodeCallServices;
}

export class WorkerThread {
  private readonly start: WorkerStart;
  private readonly lines: Map<string, Line>;
  private readonly states: StateHolder;
  private readonly contextCounters: ContextCounters;
  private readonly searchers: OpenSearchers;
  readonly authorities: Authorities;
  private readonly asyncSearches: AsyncSearches;
  private readonly preparedSearches = new PreparedSearches();
  private readonly repositories: RepositoryAccess;
  private readonly host: ShardHost;
  private readonly operations: LocalOperations;
  /** To be asked before {@link answer}. */
  readonly atOnce: AnswersAtOnce;
  private readonly clientRequests: ClientRequests;
  private readonly ranks = new CopyRanks();
  private readonly logger: Logger;
  private readonly scripts: ScriptServices;
  private readonly taskServices = {
    nodeId: () => this.identity().id,
    front: () => this.line(FRONT),
    others: () => this.otherNodes(),
    contextOf: (origin: TaskOrigin) => this.context(origin),
  };
  private readonly clusterState = (): ClusterState => this.states.current;
  private readonly whenState: ActionContext['whenState'] = (...wanted) => this.states.when(...wanted);
  private readonly frontFigures = async (): Promise<FrontFigures> =>
    (await this.line(FRONT).call({ kind: 'figures' })) as FrontFigures;
  private readonly reloadSecureSettings = async (password: string): Promise<void> => {
    const message: FrontMessage = { kind: 'reload-secure-settings', password };
    await this.line(FRONT).call(message);
  };
  /** Of every worker of this node. */
  private readonly ingestFigures = async (): Promise<readonly IngestFigures[]> => {
    const others = [...this.lines].filter(([peer]) => isWorkerName(peer));
    const message: IngestFiguresMessage = { kind: 'ingest-figures' };
    const answers = await Promise.all(others.map(([, line]) => line.call(message)));
    return [this.ingest.statistics.figures(), ...(answers as IngestFigures[])];
  };
  private readonly coordinator: CoordinatorClient = {
    submit: async (name, input, options) => {
      const message: SubmitMessage = { kind: 'submit', name, input, ...options };
      // The result crossed from the command that this name stands for.
      return (await this.line(COORDINATOR).call(message)) as never;
    },
    pendingTasks: async (options) => {
      const message: PendingTasksMessage = { kind: 'pending-tasks', ...options };
      return (await this.line(COORDINATOR).call(message)) as MasterWork;
    },
    updateFigures: async () => (await this.line(COORDINATOR).call({ kind: 'update-figures' })) as UpdateFigures,
  };
  private readonly security = new SecurityCalls(() => this.line(FRONT));
  private readonly directoryOfPart = (uuid: string, shard: number, source: number): string =>
    partDirectory(this.start.indicesPath, uuid, shard, source);
  private readonly mailOrder: MailOrder = {
    turns: new MessageTurns(systemClock),
    laneOf: (message) => laneOf(message as WorkerMessage),
  };
  private readonly served = new ServedRequests(this.frontFigures);
  private readonly turns = new Turns(systemClock, () => this.served.hasMore());
  private readonly loop = new TurnOfLoop(systemClock);
  private readonly ingest: IngestService;
  private slot = -1;
  private memory: IndexingMemory | undefined;
  private accounted: AccountedMemory | undefined;
  private node: NodeIdentity | undefined;
  private wiredServices: WiredServices | undefined;

  constructor(start: WorkerStart, makeLifecycle: (thread: LifecycleServices) => ShardLifecycle, parts?: ThreadParts) {
    this.start = start;
    ({ lines: this.lines, states: this.states } = parts ?? { lines: new Map(), states: new StateHolder(systemClock) });
    this.authorities = new Authorities(start.settings, this.clusterState, () => this.lines.get(FRONT));
    this.contextCounters = new ContextCounters(start.contextWords, start.settings.values['http.front_threads']);
    this.searchers = new OpenSearchers(systemClock, systemRandom, this.contextCounters);
    this.asyncSearches = new AsyncSearches(systemClock, systemRandom, this.contextCounters);
    this.scripts = new ScriptServices(start.settings.values);
    const secureSettings = new SecureSettingsCopy(start.secureSettingsVersion, async () => {
      const message: FrontMessage = { kind: 'secure-settings' };
      return (await this.line(FRONT).call(message)) as ReadonlyMap<string, Uint8Array>;
    });
    this.repositories = workerRepositories(start, secureSettings);
    const distribution = start.settings.values['compatibility.distribution'];
    this.ingest = new IngestService(systemClock, distribution, nativeScripts);
    this.logger = {
      log: (level, message, fields, logger) =>
        this.lines.get(FRONT)?.note({ kind: 'log', level, message, fields, logger }),
    };
    const ofIndices = named(this.logger, 'index');
    const services: LifecycleServices = {
      indicesPath: start.indicesPath,
      nodeId: () => this.identity().id,
      coordinator: this.coordinator,
      logger: ofIndices,
      shardBufferBytes: shardBufferBytes(start.indexingBudgetBytes),
      indexingMemory: () => must(this.memory, 'the indexing memory of a wired worker'),
      startMerge: (job, what) => this.startMerge(job, what),
      announceRecovery: (what, ended) => {
        void announceWhile(this.lines.get(FRONT), 'internal:index/shard/recovery', `recovery of ${what}`, ended);
      },
      clusterState: this.clusterState,
      onCopy: (key, place, name, input) => this.reads(new Cancellation()).shards.onCopy(key, place, name, input),
      recoveryLimits: () => recoveryLimits(this.states.current),
      repositories: this.repositories,
      forgetContexts: (shard) => {
        this.searchers.forget(shard);
      },
    };
    this.host = new ShardHost(makeLifecycle(services), ofIndices, systemClock);
    // What is not of the pool is the front, for which everybody waits.
    const isNear = parts !== undefined;
    const publishedCopies = new PublishedCopies(start.indicesPath, isNear);
    this.operations = new LocalOperations({
      host: this.host,
      publishedCopies,
      searchers: this.searchers,
      clusterState: this.clusterState,
      identity: () => this.identity(),
      contextOf: (cancellation) => this.operationContext(cancellation, isNear),
    });
    this.atOnce = new AnswersAtOnce(this.clusterState, {
      ...{ settings: start.settings, authorities: this.authorities, clock: systemClock, ranks: this.ranks },
      ...{ preparedSearches: this.preparedSearches, usageWords: start.searchUsageWords, node: () => this.identity() },
      nowMs: () => systemClock.nowMs(),
      read: (...asked) => publishedCopies.read(...asked),
      searcherOf: (key) => publishedCopies.searcher(key),
    });
    const slots = new WorkerSlots(start.slotWords);
    this.clientRequests = new ClientRequests(this.atOnce, slots, (request) => this.answer(request));
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
    if (this.slot === -1) this.beginInSlot(task.slot, task.introduction);
    await this.authorities.load();
    for (const { peer, port } of task.wires) {
      this.lines.get(peer)?.close();
      const receive = (message: unknown): unknown => this.receive(message as WorkerMessage);
      this.lines.set(peer, new Mailbox(port, peer, receive, this.mailOrder));
    }
    await this.whenStateKnown();
  }

  private beginInSlot(slot: number, node: NodeIdentity): void {
    this.takeSlot(slot, node);
    nameThisThread(workerName(slot));
    this.countShards(slot);
    this.memory = new IndexingMemory({
      words: this.start.indexingWords,
      slot,
      budgetBytes: this.start.indexingBudgetBytes,
      askForRoom: (other) => this.lines.get(workerName(other))?.note({ kind: 'make-room' } satisfies MakeRoomMessage),
    });
  }

  /** Of the shards of this worker; what is not of the pool has none. */
  private countShards(slot: number): void {
    const usesRealMemory = this.start.settings.values['indices.breaker.total.use_real_memory'];
    this.accounted = new AccountedMemory({
      words: new BreakerWords(this.start.breakerWords),
      slot,
      clock: systemClock,
      shards: () => this.host.openShards(),
      limitBytes: () => breakerLimits(effectiveClusterSettings(this.states.current), usesRealMemory).accounting,
    });
  }

  /** Before anything is asked. The slot tells this thread from others of its node; shards are assigned to those of the pool only. */
  takeSlot(slot: number, node: NodeIdentity): void {
    this.slot = slot;
    this.node = node;
    const clusterName = this.start.settings.values['cluster.name'];
    const traffic = new ClientTraffic(this.start.trafficWords);
    const { security } = this.start;
    const options = { clusterName, nodeId: node.id, clock: systemClock, traffic, security };
    const others = new OtherNodes(options, this.clusterState);
    this.wiredServices = this.servicesOf({ nodeId: node.id, workerSlot: slot }, others);
    this.contextCounters.takeSlot(slot);
  }

  private servicesOf(here: CopyPlace, others: OtherNodes): WiredServices {
    const callWorker = (slot: number, message: unknown): Promise<unknown> => this.line(workerName(slot)).call(message);
    const shardCalls: ShardCallServices = {
      here,
      clock: systemClock,
      ranks: this.ranks,
      others,
      clusterState: this.clusterState,
      runHere: this.operations.onOwn.bind(this.operations),
      readHere: this.operations.onPublished.bind(this.operations),
      lastCommitHere: (key) => this.host.lastCommit(key),
      recoveryHere: (key) => this.host.recovery(key),
      callWorker,
    };
    return { shardCalls, nodeCalls: { here, others, contextOf: (origin) => this.context(origin), callWorker } };
  }

  private startMerge(job: Uint8Array, what: string): RunningMerge {
    const line = this.line(COORDINATOR);
    const id = newUuid(systemRandom);
    const done = line.call({ kind: 'merge', id, job } satisfies MergeMessage) as Promise<Uint8Array>;
    void announceWhile(this.lines.get(FRONT), 'internal:index/shard/merge', what, done);
    const cancel = (): void => {
      line.note({ kind: 'cancel-merge', id } satisfies CancelMergeMessage);
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
        return this.clientRequests.answer(message.request, this.slot);
      case 'shard':
        // A worker that took the place of a crashed one may be asked before it was told the state.
        await this.whenStateKnown();
        return this.operations.onOwn(message.key, message.name, message.input, new Cancellation(message.cancellation));
      case 'recovery':
        return this.host.recovery(message.key);
      case 'node': {
        await this.whenStateKnown();
        const { name, input, cancellation, subject } = message;
        const origin = { cancellation: new Cancellation(cancellation), number: 0, opaqueId: '', subject };
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
        const { name, input, subject = NO_SUBJECT } = request as RemoteRequests['node'];
        return runNodeAction(this.context({ cancellation, number: task, opaqueId: '', subject }), name, input);
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
    const queue = this.operations.underWay;
    const startedMs = systemClock.monotonicMs();
    const output = await this.operations.onOwn(key, name, input, cancellation);
    return { output, serviceMs: systemClock.monotonicMs() - startedMs, queue };
  }

  /** The state is another. */
  follow(state: ClusterState): void {
    this.otherNodes().follow(state);
    this.scripts.follow(state);
    this.ingest.follow(state);
    this.ranks.keepOnly((nodeId) => state.nodes.has(nodeId));
    this.searchers.follow(state);
    this.repositories.follow(state);
    this.preparedSearches.clear();
  }

  /** Places that the state gives to an earlier run of this node mean nothing: it has to be let in anew. */
  private async applyState(): Promise<void> {
    const { current: state } = this.states;
    const self = this.identity();
    this.follow(state);
    const record = state.nodes.get(self.id);
    const isOfEarlierRun = record !== undefined && record.ephemeralId !== self.ephemeralId;
    if (!isOfEarlierRun) await this.host.apply(state, self.id, this.slot);
  }

  /** Never throws: what goes wrong becomes an error answer. */
  async answer(request: WireRequest): Promise<WireAnswer> {
    const { cancellation: words, task: number, headers, subject, audit } = request;
    const { current: state } = this.states;
    const endpoint = must(ENDPOINTS[request.endpoint], 'endpoint');
    const origin = { cancellation: new Cancellation(words), number, opaqueId: headers.opaqueId, subject, audit };
    const answer = await dispatch(endpoint, request, this.context(origin));
    this.atOnce.note(request, answer, state);
    return answer;
  }

  /** Made for each request: what is the same for all of them is made once. */
  private context(origin: TaskOrigin): ActionContext {
    const { cancellation, number } = origin;
    const subject = readSubject(origin.subject);
    const { shardCalls, nodeCalls } = this.wired();
    return {
      clusterState: this.clusterState,
      whenState: this.whenState,
      frontFigures: this.frontFigures,
      reloadSecureSettings: this.reloadSecureSettings,
      ingest: this.ingest,
      ingestFigures: this.ingestFigures,
      coordinator: this.coordinator,
      shards: new ShardCalls(shardCalls, cancellation, number),
      nodes: new NodeCalls(nodeCalls, origin),
      tasks: new TaskCalls(this.taskServices, origin),
      asyncSearches: this.asyncSearches,
      preparedSearches: this.preparedSearches,
      repositories: this.repositories,
      authority: subject === undefined ? undefined : this.authorities.of(subject, origin.audit ?? ''),
      workerSlot: this.slot,
      ...{ turns: this.turns, loop: this.loop },
      searchUsageWords: this.start.searchUsageWords,
      node: this.identity(),
      settings: this.start.settings,
      clock: systemClock,
      random: systemRandom,
      logger: this.logger,
      cancellation,
      subject,
      security: this.security,
    };
  }

  private reads(cancellation: Cancellation): ReadContext {
    const { clusterState, whenState } = this;
    const shards = new ShardCalls(this.wired().shardCalls, cancellation, 0);
    return { clusterState, whenState, clock: systemClock, shards, cancellation, node: this.identity() };
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

  private operationContext(cancellation: Cancellation, isNear: boolean): ShardOperationContext {
    return {
      coordinator: this.coordinator,
      clusterState: this.clusterState,
      clock: systemClock,
      random: systemRandom,
      ...{ cancellation, isNear },
      logger: this.logger,
      distribution: this.start.settings.values['compatibility.distribution'],
      checkAccounting: () => this.accounted?.check(),
      reads: () => this.reads(cancellation),
      searchers: this.searchers,
      directoryOfPart: this.directoryOfPart,
      repositories: this.repositories,
    };
  }

  private line(peer: string): Line {
    const line = this.lines.get(peer);
    if (line === undefined) throw new QuarryError('unavailable_shards_exception', `[${peer}] is not available`);
    return line;
  }
}
