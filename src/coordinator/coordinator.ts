/**
 * The coordinator of one node: holds the state that the cluster agreed on and tells it to the node's threads. Where its node
 * is the master, it carries out commands, one after the other: their changes are agreed on through {@link StateLog}, and a
 * command is answered when every thread of every node has applied what it changed. Elsewhere commands go to the master.
 */
import type { Clock } from '../base/clock.js';
import { asQuarryError } from '../base/error-wire.js';
import { QuarryError } from '../base/errors.js';
import { PUBLISH_MS_MAX } from '../base/limits.js';
import type { Logger } from '../base/logger.js';
import { newUuid, type Random } from '../base/random.js';
import type { NativeRules } from '../cluster/changes/change.js';
import { withMetadataVersion } from '../cluster/changes/metadata-version.js';
import { NO_CLUSTER_INFO, type ClusterInfo } from '../cluster/disks/cluster-info.js';
import { decodeState, encodeState } from '../cluster/state-codec.js';
import { emptyClusterState, type ClusterState, type NodeRecord } from '../cluster/state.js';
import type { CommandDefinition, ReducerEnvironment } from './command.js';
import { COMMANDS, type CommandName } from './commands.js';
import type { ConsensusRole } from './consensus.js';
import { describeCommand, inOrder, priorityOf } from './pending-tasks.js';
import type { MasterWork, PendingTask, Priority } from './pending-tasks.js';
import { notMaster, outcomeUnknown } from './proposals.js';
import { applyPublication, type Publication } from './publication.js';
import { decodePublication, encodePublication } from './publication-codec.js';
import { publishChange, publishFull, publishToThreads, withKnownParts } from './publish.js';
import { Subscribers, type Subscriber } from './subscribers.js';
import { UpdateCounters, UpdateStopwatch, type UpdateFigures } from './update-figures.js';

/** Where changes are agreed on; `Consensus` is one. */
export interface StateLog {
  readonly role: ConsensusRole;
  /** Nothing is agreed on here any more; what was proposed fails with it. */
  readonly isEnded: boolean;
  /** Resolves when the entry is agreed on and `Coordinator.onCommitted` was given it. */
  propose(data: Uint8Array, timeoutMs: number): Promise<number>;
}

/** What the coordinator needs of other nodes. */
export interface OtherNodes {
  /** Resolves when the node has applied this version of the state, or is not to be waited for any more. */
  whenApplied(nodeId: string, version: number): Promise<void>;
  /** Has the master carry the command out. */
  submitToMaster(name: CommandName, input: unknown, timeoutMs: number): Promise<unknown>;
  /** What the master has to do. */
  pendingTasksOfMaster(timeoutMs: number): Promise<MasterWork>;
}

export interface CoordinatorOptions {
  readonly clusterName: string;
  readonly clock: Clock;
  readonly random: Random;
  readonly rules: NativeRules;
  readonly logger: Logger;
  readonly others: OtherNodes;
  /** What a version of this software that knew one node only left behind: a new cluster begins with it. */
  readonly inherited?: ClusterState | undefined;
}

interface WaitingCommand {
  readonly name: CommandName;
  readonly input: unknown;
  readonly deadlineMs: number;
  readonly insertOrder: number;
  readonly priority: Priority;
  readonly queuedMs: number;
  resolve(result: unknown): void;
  reject(error: unknown): void;
}

/** What a table of commands looks like when their own types do not matter. */
type AnyCommand = CommandDefinition<string, unknown, unknown>;

type StateWatcher = (state: ClusterState) => void;

/** Commands that wait; more are refused. */
const WAITING_COMMANDS_MAX = 10_000;

const IDLE = { commands: [], sinceMs: 0 } as const;

export class Coordinator {
  private readonly options: CoordinatorOptions;
  private readonly subscribers: Subscribers;
  private readonly updates = new UpdateCounters();
  private readonly watchers = new Set<StateWatcher>();
  private log: StateLog | undefined;
  /** Of this node; empty before it takes part. */
  private nodeId = '';
  private waiting: WaitingCommand[] = [];
  /** What is being carried out, and since when. */
  private executing: { readonly commands: readonly WaitingCommand[]; readonly sinceMs: number } = IDLE;
  private insertOrder = 0;
  private isWorking = false;
  /** As agreed on. */
  private agreed: ClusterState;
  /** As the threads are told: the master is named only while there is one. */
  private visible: ClusterState;
  /** This node, as it is shown while it belongs to no cluster yet. */
  private self: NodeRecord | undefined;
  private isMasterKnown = false;
  private clusterInfo: ClusterInfo = NO_CLUSTER_INFO;

  constructor(options: CoordinatorOptions) {
    this.options = options;
    this.agreed = emptyClusterState(options.clusterName, '');
    this.visible = this.agreed;
    this.subscribers = new Subscribers(options.clock, options.logger, () => this.isEnding, this.updates);
  }

  /** Who waits here for a cluster: it can be asked about itself meanwhile. */
  introduce(self: Omit<NodeRecord, 'raftId'>): void {
    this.self = { ...self, raftId: '' };
    if (this.agreed.version === 0) this.show();
  }

  /** From now on this node takes part in agreeing on changes. */
  takePart(nodeId: string, log: StateLog): void {
    this.nodeId = nodeId;
    this.log = log;
  }

  useClusterInfo(info: ClusterInfo): void {
    this.clusterInfo = info;
  }

  /** As the threads know it; its `masterNodeId` is empty while no master is known. */
  get current(): ClusterState {
    return this.visible;
  }

  get waitingCount(): number {
    return this.waiting.length;
  }

  get isMaster(): boolean {
    return this.log?.role.role === 'leader';
  }

  /** Tells the thread the whole state, then every change. A thread of the same name takes the place of the former. */
  subscribe(name: string, subscriber: Subscriber): Promise<void> {
    return this.subscribers.add(name, subscriber, publishFull(this.visible));
  }

  /** Is told every state that becomes visible, at once. The answer ends it. */
  watch(watcher: StateWatcher): () => void {
    this.watchers.add(watcher);
    return () => this.watchers.delete(watcher);
  }

  /** The first state from now on for which `holds` is true; undefined when the time, if there is a limit, is over. */
  when(holds: (state: ClusterState) => boolean, timeoutMs?: number): Promise<ClusterState | undefined> {
    if (holds(this.visible)) return Promise.resolve(this.visible);
    return new Promise((resolve) => {
      const finish = (state: ClusterState | undefined): void => {
        stopWatching();
        stopTimer();
        resolve(state);
      };
      const stopWatching = this.watch((state) => {
        if (holds(state)) finish(state);
      });
      const giveUp = (): void => {
        finish(undefined);
      };
      const stopTimer =
        timeoutMs === undefined ? (): void => undefined : this.options.clock.schedule(timeoutMs, giveUp);
    });
  }

  /** Resolves when every thread of this node has applied the version; rejects when the time is over before. */
  async whenApplied(version: number, timeoutMs: number): Promise<void> {
    if ((await this.when((state) => state.version >= version, timeoutMs)) === undefined) {
      throw new QuarryError('receive_timeout_transport_exception', `version [${version}] of the state did not come`);
    }
    await this.subscribers.whenTold();
  }

  /** Carries the command out here, where this node is the master, else there. */
  async submit(name: CommandName, input: unknown, timeoutMs = PUBLISH_MS_MAX): Promise<unknown> {
    try {
      if (this.isMaster) return await this.submitHere(name, input, timeoutMs);
    } catch (error) {
      // Another master was elected while the command waited: it was not carried out.
      if (!(error instanceof QuarryError) || error.type !== 'not_master_exception') throw error;
    }
    return this.options.others.submitToMaster(name, input, timeoutMs);
  }

  /** Rejects with `not_master_exception`, surely without an effect, where this node is not the master. */
  submitHere(name: CommandName, input: unknown, timeoutMs = PUBLISH_MS_MAX): Promise<unknown> {
    if (!this.isMaster) return Promise.reject(notMaster('this node is not the master'));
    if (this.waiting.length >= WAITING_COMMANDS_MAX) {
      const reason = `rejected execution of [${name}]: [${WAITING_COMMANDS_MAX}] commands wait for the coordinator`;
      return Promise.reject(new QuarryError('rejected_execution_exception', reason));
    }
    return new Promise((resolve, reject) => {
      const queuedMs = this.options.clock.monotonicMs();
      const deadlineMs = queuedMs + timeoutMs;
      const insertOrder = this.insertOrder++;
      const priority = priorityOf(name, input);
      this.waiting.push({ name, input, deadlineMs, insertOrder, priority, queuedMs, resolve, reject });
      if (!this.isWorking) void this.work();
    });
  }

  /** What waits for this node as the master, and what it is at; the most urgent first. */
  pendingTasks(): MasterWork {
    const nowMs = this.options.clock.monotonicMs();
    const { commands, sinceMs } = this.executing;
    const describe = (command: WaitingCommand, startedMs: number | undefined): PendingTask => ({
      insertOrder: command.insertOrder,
      priority: command.priority,
      source: describeCommand(command.name, command.input),
      executing: startedMs !== undefined,
      timeInQueueMs: Math.round((startedMs ?? nowMs) - command.queuedMs),
      timeInExecutionMs: startedMs === undefined ? 0 : Math.round(nowMs - startedMs),
    });
    const tasks = inOrder([
      ...commands.map((command) => describe(command, sinceMs)),
      ...this.waiting.map((command) => describe(command, undefined)),
    ]);
    return { version: this.visible.version, tasks };
  }

  /** How long changes took, since this node was started. */
  updateFigures(): UpdateFigures {
    return this.updates.figures();
  }

  /** Those of the master, wherever it is. */
  async pendingTasksOfMaster(timeoutMs = PUBLISH_MS_MAX): Promise<MasterWork> {
    return this.isMaster ? this.pendingTasks() : this.options.others.pendingTasksOfMaster(timeoutMs);
  }

  onSnapshot(data: Uint8Array): void {
    this.agreed = decodeState(Buffer.from(data).toString('utf8'));
    this.show();
  }

  onCommitted(entries: readonly { readonly data: Uint8Array }[]): void {
    const { clock } = this.options;
    const begunMs = clock.monotonicMs();
    for (const { data } of entries) this.apply(decodePublication(data));
    this.show();
    this.updates.applied('coordinator', clock.monotonicMs() - begunMs);
  }

  /** The master's node is told by its number in the group. */
  onRole({ leader }: ConsensusRole): void {
    this.isMasterKnown = leader !== undefined;
    this.show();
  }

  takeSnapshot(): Uint8Array {
    return Buffer.from(encodeState(this.agreed), 'utf8');
  }

  /**
   * A change of another version than the newest was overtaken: a master that was not answered in time proposed twice, or
   * two masters did. Every node leaves out the same ones.
   */
  private apply(publication: Publication): void {
    const fromVersion = publication.kind === 'full' ? 0 : publication.fromVersion;
    if (fromVersion === this.agreed.version)
      this.agreed = applyPublication(this.agreed, withKnownParts(this.agreed, publication));
    else this.options.logger.log('warn', 'a change of the cluster state was overtaken', { fromVersion });
  }

  private show(): void {
    const next = this.shown();
    const before = this.visible;
    const publication = before.version === 0 ? publishFull(next) : publishToThreads(before, next);
    this.visible = next;
    this.subscribers.tell(publication);
    for (const watcher of [...this.watchers]) watcher(next);
  }

  private shown(): ClusterState {
    const { agreed, self } = this;
    if (agreed.version === 0 && self !== undefined) return { ...agreed, nodes: new Map([[self.id, self]]) };
    return this.isMasterKnown ? agreed : { ...agreed, masterNodeId: '' };
  }

  private async work(): Promise<void> {
    this.isWorking = true;
    while (this.waiting.length > 0) {
      const batch = inOrder(this.waiting);
      this.waiting = [];
      this.executing = { commands: batch, sinceMs: this.options.clock.monotonicMs() };
      await this.carryOut(batch);
    }
    this.executing = IDLE;
    this.isWorking = false;
  }

  /** Resolves when the changes are agreed on, or are not; the answers wait for all nodes and come in their own time. */
  private async carryOut(batch: readonly WaitingCommand[]): Promise<void> {
    const watch = new UpdateStopwatch(this.options.clock);
    const before = this.beginning();
    const done: { command: WaitingCommand; result: unknown }[] = [];
    let next = before;
    for (const command of batch) {
      try {
        const reduction = this.reduce(next, command);
        next = reduction.state;
        done.push({ command, result: reduction.result });
      } catch (error) {
        command.reject(error);
      }
    }
    if (next !== before) next = withMetadataVersion(before, next);
    watch.computed();
    const answer = (kind: 'unchanged' | 'success'): Promise<void> =>
      watch
        .within('notificationMs', () => {
          for (const { command, result } of done) command.resolve(result);
        })
        .then(() => {
          this.updates.ended(kind, watch.took);
        });
    if (next === before) {
      void this.subscribers.whenTold().then(() => answer('unchanged'));
      return;
    }
    try {
      await this.agreeOn(before, next, watch);
    } catch (error) {
      this.noteDisagreement(error);
      watch.mark('publicationMs');
      for (const { command } of done) command.reject(error);
      this.updates.ended('failure', watch.took);
      return;
    }
    void this.whenAppliedEverywhere(next, watch).then(() => answer('success'));
  }

  private get isEnding(): boolean {
    return this.log?.isEnded === true;
  }

  private noteDisagreement(error: unknown): void {
    // What is pending when the node stops fails for no other reason.
    const level = this.isEnding ? 'debug' : 'warn';
    this.options.logger.log(level, 'a change of the cluster state was not agreed on', { reason: String(error) });
  }

  /** What the first command of a cluster changes is the state of a new one. */
  private beginning(): ClusterState {
    if (this.agreed.version > 0) return this.agreed;
    const { inherited, clusterName, random } = this.options;
    return inherited ?? emptyClusterState(clusterName, newUuid(random));
  }

  private async agreeOn(before: ClusterState, next: ClusterState, watch: UpdateStopwatch): Promise<void> {
    if (this.log === undefined) throw notMaster('this node takes no part in a cluster yet');
    const publication = this.agreed.version === 0 ? publishFull(next) : publishChange(before, next);
    const written = encodePublication(publication);
    watch.mark('contextConstructionMs');
    await this.log.propose(written, PUBLISH_MS_MAX);
    watch.mark('commitMs');
    if (this.agreed.stateUuid !== next.stateUuid)
      throw outcomeUnknown('another change of the cluster state came first');
  }

  private async whenAppliedEverywhere({ version, nodes }: ClusterState, watch: UpdateStopwatch): Promise<void> {
    const { others } = this.options;
    const elsewhere = [...nodes.keys()].filter((id) => id !== this.nodeId);
    const byOthers = Promise.all(elsewhere.map((id) => others.whenApplied(id, version))).then(() => {
      watch.mark('completionMs');
    });
    await Promise.all([watch.within('masterApplyMs', () => this.subscribers.whenTold()), byOthers]);
    watch.mark('publicationMs');
  }

  private reduce(state: ClusterState, command: WaitingCommand): { state: ClusterState; result: unknown } {
    const { clock, random, rules } = this.options;
    if (command.deadlineMs < clock.monotonicMs()) {
      const reason = `failed to process cluster event (${command.name}) within its timeout`;
      throw new QuarryError('process_cluster_event_timeout_exception', reason);
    }
    const definition = COMMANDS[command.name] as unknown as AnyCommand;
    // One command, one moment.
    const environment: ReducerEnvironment = {
      nowMs: clock.nowMs(),
      newUuid: () => newUuid(random),
      ...rules,
      clusterInfo: this.clusterInfo,
    };
    return definition.reduce(state, command.input, environment);
  }
}

/** What of an error is told in a log. */
export function reasonOf(error: unknown): string {
  const { type, message } = asQuarryError(error);
  return `${type}: ${message}`;
}
