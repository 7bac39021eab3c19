/** What requests, and operations on shards, are given to reach everything else by. */
import type { ActionContext, NodeIdentity } from '../../actions/context.js';
import type { ReadContext } from '../../actions/read-from-copies.js';
import type { ShardOperationContext } from '../../actions/shard-operation.js';
import { must } from '../../base/assert.js';
import type { Cancellation } from '../../base/cancellation.js';
import { systemClock } from '../../base/clock.js';
import { systemRandom } from '../../base/random.js';
import { readSubject } from '../../cluster/security/subject-text.js';
import { partDirectory } from '../../store/layout.js';
import { FRONT, workerName } from '../../workers/wires.js';
import type { OtherNodes } from '../other-nodes.js';
import { NodeCalls, type NodeCallServices } from './node-calls.js';
import { ShardCalls, type ShardCallServices } from './shard-calls.js';
import { TaskCalls, type TaskCallServices, type TaskOrigin } from './task-calls.js';
import type { ThreadServices } from './thread-services.js';

/** Where a thread is, once it has its slot. */
export interface ThreadPlace {
  readonly node: NodeIdentity;
  readonly slot: number;
  readonly others: OtherNodes;
}

/** How a thread has shards of its own, and those that others publish, operated on. */
export type ShardsHere = Pick<ShardCallServices, 'runHere' | 'readHere' | 'lastCommitHere' | 'recoveryHere'>;

interface WiredPlace extends ThreadPlace {
  readonly shardCalls: ShardCallServices;
  readonly nodeCalls: NodeCallServices;
}

export class RequestContexts {
  private readonly services: ThreadServices;
  private readonly taskCalls: TaskCallServices;
  /** Undefined: it has no slot yet. */
  private place: WiredPlace | undefined;
  // What is the same for all contexts is made once.
  private readonly whenState: ActionContext['whenState'];
  private readonly frontFigures: ActionContext['frontFigures'];
  private readonly reloadSecureSettings: ActionContext['reloadSecureSettings'];
  private readonly ingestFigures: ActionContext['ingestFigures'];
  private readonly directoryOfPart: ShardOperationContext['directoryOfPart'];

  constructor(services: ThreadServices) {
    const { start, states, front } = services;
    this.services = services;
    this.whenState = (...wanted) => states.when(...wanted);
    this.frontFigures = () => front.figures();
    this.reloadSecureSettings = (password) => front.reloadSecureSettings(password);
    this.ingestFigures = () => services.ingestFigures();
    this.directoryOfPart = (uuid, shard, source) => partDirectory(start.indicesPath, uuid, shard, source);
    this.taskCalls = {
      nodeId: () => this.node.id,
      front: () => services.line(FRONT),
      others: () => this.others,
      contextOf: (origin) => this.of(origin),
    };
  }

  /** Before anything is asked. */
  takePlace(place: ThreadPlace, shards: ShardsHere): void {
    const { services } = this;
    const { others } = place;
    const here = { nodeId: place.node.id, workerSlot: place.slot };
    const callWorker = (slot: number, message: unknown): Promise<unknown> =>
      services.line(workerName(slot)).call(message);
    const { ranks, clusterState } = services;
    this.place = {
      ...place,
      shardCalls: { here, clock: systemClock, ranks, others, clusterState, ...shards, callWorker },
      nodeCalls: { here, others, contextOf: (origin) => this.of(origin), callWorker },
    };
  }

  get node(): NodeIdentity {
    return this.wired().node;
  }

  get others(): OtherNodes {
    return this.wired().others;
  }

  private wired(): WiredPlace {
    return must(this.place, 'the place of a wired worker');
  }

  /** Made for each request. Written out: to add members to a copy of so many takes V8 tens of microseconds. */
  of(origin: TaskOrigin): ActionContext {
    const { services } = this;
    const { cancellation, number } = origin;
    const subject = readSubject(origin.subject);
    const { shardCalls, nodeCalls, slot, node } = this.wired();
    return {
      clusterState: services.clusterState,
      whenState: this.whenState,
      frontFigures: this.frontFigures,
      reloadSecureSettings: this.reloadSecureSettings,
      ingest: services.ingest,
      ingestFigures: this.ingestFigures,
      coordinator: services.coordinator,
      shards: new ShardCalls(shardCalls, cancellation, number),
      nodes: new NodeCalls(nodeCalls, origin),
      tasks: new TaskCalls(this.taskCalls, origin),
      asyncSearches: services.asyncSearches,
      preparedSearches: services.preparedSearches,
      repositories: services.repositories,
      authority: subject === undefined ? undefined : services.authorities.of(subject, origin.audit ?? ''),
      workerSlot: slot,
      pressure: services.pressure,
      turns: services.turns,
      loop: services.loop,
      searchUsageWords: services.start.searchUsageWords,
      node,
      settings: services.start.settings,
      clock: systemClock,
      random: systemRandom,
      logger: services.front.logger,
      cancellation,
      subject,
      security: services.security,
    };
  }

  /** For work of this thread itself, that is no part of a task. */
  reads(cancellation: Cancellation): ReadContext {
    const { whenState } = this;
    const { clusterState } = this.services;
    const { shardCalls, node } = this.wired();
    const shards = new ShardCalls(shardCalls, cancellation, 0);
    return { clusterState, whenState, clock: systemClock, shards, cancellation, node };
  }

  ofOperation(
    cancellation: Cancellation,
    thread: Required<Pick<ShardOperationContext, 'isNear' | 'checkAccounting'>>,
    isOfOtherNode: boolean,
  ): ShardOperationContext {
    const { coordinator, clusterState, front, start, searchers, repositories, pressure } = this.services;
    return {
      coordinator,
      clusterState,
      clock: systemClock,
      random: systemRandom,
      cancellation,
      isNear: thread.isNear,
      logger: front.logger,
      distribution: start.settings.values['compatibility.distribution'],
      checkAccounting: thread.checkAccounting,
      pressure,
      isOfOtherNode,
      reads: () => this.reads(cancellation),
      searchers,
      directoryOfPart: this.directoryOfPart,
      repositories,
    };
  }
}
