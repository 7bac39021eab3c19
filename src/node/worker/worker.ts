/** One worker of the pool: its slot, its lines to the other threads, its shards, and the tasks and messages that it is given. */
import type { NodeIdentity } from '../../actions/context.js';
import { runNodeAction } from '../../actions/nodes/node-actions.js';
import type { ShardLifecycle } from '../../actions/shard-host.js';
import { must } from '../../base/assert.js';
import { BreakerWords } from '../../base/breakers.js';
import { Cancellation } from '../../base/cancellation.js';
import { systemClock } from '../../base/clock.js';
import { QuarryError } from '../../base/errors.js';
import { PUBLISH_MS_MAX } from '../../base/limits.js';
import { breakerLimits } from '../../cluster/settings/breaker-settings.js';
import { effectiveClusterSettings } from '../../cluster/settings/effective-cluster-settings.js';
import { StateHolder } from '../../coordinator/state-holder.js';
import { wireRoutes } from '../../rest/dispatch.js';
import { ENDPOINTS } from '../../rest/endpoints.js';
import { IndexingMemory } from '../../shard/indexing-memory.js';
import { nameThisThread } from '../../store/threads.js';
import { Mailbox, type Line, type MailOrder } from '../../workers/mailbox.js';
import { MessageTurns } from '../../workers/message-turns.js';
import { WorkerSlots } from '../../workers/worker-slots.js';
import { workerName, type WireTask } from '../../workers/wires.js';
import { unpackPublication } from '../packed-publication.js';
import type { MakeRoomMessage, WorkerStart, WorkerTask } from '../thread-messages.js';
import { AccountedMemory } from './accounted-memory.js';
import { ClientRequests } from './client-requests.js';
import { answerRemote } from './remote-messages.js';
import { RequestHandler } from './request-handler.js';
import type { LifecycleServices } from './shard-lifecycle.js';
import { laneOf, type WorkerMessage } from './worker-messages.js';

export class WorkerThread {
  private readonly start: WorkerStart;
  private readonly lines = new Map<string, Line>();
  private readonly states = new StateHolder(systemClock);
  private readonly handler: RequestHandler;
  private readonly clientRequests: ClientRequests;
  private readonly mailOrder: MailOrder = {
    turns: new MessageTurns(systemClock),
    laneOf: (message) => laneOf(message as WorkerMessage),
  };
  private slot = -1;
  private memory: IndexingMemory | undefined;
  private accounted: AccountedMemory | undefined;

  constructor(start: WorkerStart, makeLifecycle: (services: LifecycleServices) => ShardLifecycle) {
    this.start = start;
    this.handler = new RequestHandler(
      start,
      { lines: this.lines, states: this.states },
      {
        isNear: false,
        makeLifecycle,
        indexingMemory: () => must(this.memory, 'the indexing memory of a wired worker'),
        checkAccounting: () => this.accounted?.check(),
      },
    );
    const { handler } = this;
    const slots = new WorkerSlots(start.slotWords);
    this.clientRequests = new ClientRequests(handler.atOnce, slots, (request) => handler.answer(request));
  }

  /** Carries out one task of the pool. */
  async run(task: WorkerTask): Promise<unknown> {
    switch (task.kind) {
      case 'wire':
        return this.wire(task);
      case 'describe':
        return wireRoutes(ENDPOINTS, this.start.settings.values['compatibility.distribution']);
      case 'drain':
        await this.handler.host.closeAll();
        return this.handler.contexts.others.close();
    }
  }

  private async wire(task: WireTask<NodeIdentity>): Promise<void> {
    // Before the lines: what comes over them finds a worker that knows its slot and its node.
    if (this.slot === -1) this.beginInSlot(task.slot, task.introduction);
    await this.handler.services.authorities.load();
    for (const { peer, port } of task.wires) {
      this.lines.get(peer)?.close();
      const receive = (message: unknown): unknown => this.receive(message as WorkerMessage);
      this.lines.set(peer, new Mailbox(port, peer, receive, this.mailOrder));
    }
    await this.whenStateKnown();
  }

  private beginInSlot(slot: number, node: NodeIdentity): void {
    this.slot = slot;
    this.handler.takeSlot(slot, node);
    nameThisThread(workerName(slot));
    this.countShards(slot);
    this.memory = new IndexingMemory({
      words: this.start.indexingWords,
      slot,
      budgetBytes: this.start.indexingBudgetBytes,
      askForRoom: (other) => this.lines.get(workerName(other))?.note({ kind: 'make-room' } satisfies MakeRoomMessage),
    });
  }

  private countShards(slot: number): void {
    const usesRealMemory = this.start.settings.values['indices.breaker.total.use_real_memory'];
    this.accounted = new AccountedMemory({
      words: new BreakerWords(this.start.breakerWords),
      slot,
      clock: systemClock,
      shards: () => this.handler.host.openShards(),
      limitBytes: () => breakerLimits(effectiveClusterSettings(this.states.current), usesRealMemory).accounting,
    });
  }

  /** A worker that took the place of a crashed one may be asked before it was told the state. */
  private async whenStateKnown(): Promise<void> {
    if (this.states.isKnown || (await this.states.when(() => true, PUBLISH_MS_MAX)) !== undefined) return;
    const reason = `[${workerName(this.slot)}] was not told the cluster state within [${PUBLISH_MS_MAX / 1_000}s]`;
    throw new QuarryError('unavailable_shards_exception', reason);
  }

  private async receive(message: WorkerMessage): Promise<unknown> {
    const { handler } = this;
    switch (message.kind) {
      case 'request':
        return this.clientRequests.answer(message.request, this.slot);
      case 'shard': {
        await this.whenStateKnown();
        const cancellation = new Cancellation(message.cancellation);
        return handler.operations.onOwn(message.key, message.name, message.input, cancellation);
      }
      case 'recovery':
        return handler.host.recovery(message.key);
      case 'node': {
        await this.whenStateKnown();
        const { name, input, cancellation, subject } = message;
        const origin = { cancellation: new Cancellation(cancellation), number: 0, opaqueId: '', subject };
        return runNodeAction(handler.contexts.of(origin), name, input);
      }
      case 'remote':
        await this.whenStateKnown();
        return answerRemote(handler, message);
      case 'ingest-figures':
        return handler.services.ingest.statistics.figures();
      case 'make-room':
        this.memory?.makeRoom();
        return undefined;
      case 'publish':
        this.states.apply(unpackPublication(message.publication));
        return this.applyState();
    }
  }

  /** Places that the state gives to an earlier run of this node mean nothing: it has to be let in anew. */
  private async applyState(): Promise<void> {
    const { current: state } = this.states;
    const { node: self } = this.handler.contexts;
    this.handler.follow(state);
    const record = state.nodes.get(self.id);
    const isOfEarlierRun = record !== undefined && record.ephemeralId !== self.ephemeralId;
    if (!isOfEarlierRun) await this.handler.host.apply(state, self.id, this.slot);
  }
}
