/** Carries out requests in one thread: a worker of the pool, or a front that reads itself and has no shards. */
import type { NodeIdentity } from '../../actions/context.js';
import { ShardHost, type ShardLifecycle } from '../../actions/shard-host.js';
import { must } from '../../base/assert.js';
import { Cancellation } from '../../base/cancellation.js';
import { systemClock } from '../../base/clock.js';
import { named } from '../../base/logger.js';
import { recoveryLimits } from '../../cluster/copies/recovery-limits.js';
import type { ClusterState } from '../../cluster/state.js';
import { AnswersAtOnce } from '../../rest/answers-at-once.js';
import { dispatch } from '../../rest/dispatch.js';
import { ENDPOINTS } from '../../rest/endpoints.js';
import type { WireAnswer, WireRequest } from '../../rest/wire.js';
import { shardBufferBytes, type IndexingMemory } from '../../shard/indexing-memory.js';
import { ClientTraffic } from '../../transport/client-traffic.js';
import { OtherNodes } from '../other-nodes.js';
import type { WorkerStart } from '../thread-messages.js';
import { LocalOperations } from './local-operations.js';
import { PublishedCopies } from './published-copies.js';
import { RequestContexts } from './request-contexts.js';
import type { LifecycleServices } from './shard-lifecycle.js';
import { ThreadServices, type ThreadParts } from './thread-services.js';

/** What a thread is to its node. */
export interface ThreadRole {
  /** The front, for which everybody waits. */
  readonly isNear: boolean;
  readonly makeLifecycle: (services: LifecycleServices) => ShardLifecycle;
  /** Of its shards; asked where one is opened. */
  readonly indexingMemory: () => IndexingMemory;
  /** Throws while the shards of the node hold too much memory to take more writes. */
  readonly checkAccounting: () => void;
}

export class RequestHandler {
  readonly services: ThreadServices;
  readonly contexts: RequestContexts;
  readonly host: ShardHost;
  readonly operations: LocalOperations;
  /** To be asked before {@link answer}. */
  readonly atOnce: AnswersAtOnce;

  constructor(start: WorkerStart, parts: ThreadParts, role: ThreadRole) {
    const services = new ThreadServices(start, parts);
    this.services = services;
    this.contexts = new RequestContexts(services);
    const lifecycle = role.makeLifecycle(this.lifecycleServices(role.indexingMemory));
    this.host = new ShardHost(lifecycle, named(services.front.logger, 'index'), systemClock);
    const publishedCopies = new PublishedCopies(start.indicesPath, role.isNear);
    this.operations = new LocalOperations({
      host: this.host,
      publishedCopies,
      searchers: services.searchers,
      clusterState: services.clusterState,
      identity: () => this.contexts.node,
      contextOf: (cancellation, isOfOtherNode) => this.contexts.ofOperation(cancellation, role, isOfOtherNode),
    });
    const { authorities, ranks, preparedSearches } = services;
    this.atOnce = new AnswersAtOnce(services.clusterState, {
      ...{ settings: start.settings, authorities, clock: systemClock, ranks, preparedSearches },
      ...{ usageWords: start.searchUsageWords, node: () => this.contexts.node },
      nowMs: () => systemClock.nowMs(),
      read: (...asked) => publishedCopies.read(...asked),
      searcherOf: (key) => publishedCopies.searcher(key),
    });
  }

  private lifecycleServices(indexingMemory: () => IndexingMemory): LifecycleServices {
    const { start, states, front, coordinator, clusterState, repositories, searchers } = this.services;
    return {
      indicesPath: start.indicesPath,
      nodeId: () => this.contexts.node.id,
      coordinator,
      logger: named(front.logger, 'index'),
      shardBufferBytes: shardBufferBytes(start.indexingBudgetBytes),
      indexingMemory,
      startMerge: (job, what) => {
        const merge = coordinator.startMerge(job);
        front.announce('internal:index/shard/merge', what, merge.done);
        return merge;
      },
      announceRecovery: (what, ended) => {
        front.announce('internal:index/shard/recovery', `recovery of ${what}`, ended);
      },
      clusterState,
      onCopy: (key, place, name, input) =>
        this.contexts.reads(new Cancellation()).shards.onCopy(key, place, name, input),
      recoveryLimits: () => recoveryLimits(states.current),
      repositories,
      forgetContexts: (shard) => {
        searchers.forget(shard);
      },
    };
  }

  /** Before anything is asked. The slot tells this thread from others of its node; shards are assigned to those of the pool only. */
  takeSlot(slot: number, node: NodeIdentity): void {
    const { start, clusterState } = this.services;
    const { host, operations } = this;
    const clusterName = start.settings.values['cluster.name'];
    const traffic = new ClientTraffic(start.trafficWords);
    const { security } = start;
    const options = { clusterName, nodeId: node.id, clock: systemClock, traffic, security };
    const others = new OtherNodes(options, clusterState);
    this.contexts.takePlace(
      { node, slot, others },
      {
        runHere: operations.onOwn.bind(operations),
        readHere: operations.onPublished.bind(operations),
        lastCommitHere: (key) => host.lastCommit(key),
        recoveryHere: (key) => host.recovery(key),
      },
    );
    this.services.takeSlot(slot);
  }

  /** The state is another. */
  follow(state: ClusterState): void {
    this.contexts.others.follow(state);
    this.services.follow(state);
  }

  /** Never throws: what goes wrong becomes an error answer. */
  async answer(request: WireRequest): Promise<WireAnswer> {
    const { cancellation: words, task: number, headers, subject, audit } = request;
    const { current: state } = this.services.states;
    const endpoint = must(ENDPOINTS[request.endpoint], 'endpoint');
    const origin = { cancellation: new Cancellation(words), number, opaqueId: headers.opaqueId, subject, audit };
    const answer = await dispatch(endpoint, request, this.contexts.of(origin));
    this.atOnce.note(request, answer, state);
    return answer;
  }
}
