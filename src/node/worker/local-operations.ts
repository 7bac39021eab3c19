/** Operations on shards as one thread of the node carries them out: on those that it owns, on what others publish, and on views that it holds. */
import { copiesOf } from '../../actions/copy-selection.js';
import { shardName, type ShardKey } from '../../actions/shard-client.js';
import { orShardGone, type ShardHost } from '../../actions/shard-host.js';
import {
  departedShard,
  type OpenShard,
  type ShardOperation,
  type ShardOperationContext,
  type ViewedShard,
} from '../../actions/shard-operation.js';
import {
  AFTER_RESTORES,
  OPERATION_LEVELS,
  READS,
  SHARD_OPERATIONS,
  type ShardOperationName,
} from '../../actions/shard-operations.js';
import type { OpenSearchers } from '../../actions/searches/contexts/open-searchers.js';
import type { NodeIdentity } from '../../actions/context.js';
import type { Cancellation } from '../../base/cancellation.js';
import { QuarryError } from '../../base/errors.js';
import { globalBlock } from '../../cluster/blocks/global-blocks.js';
import { isActive } from '../../cluster/copies/shard-copies.js';
import type { ClusterState } from '../../cluster/state.js';
import type { PublishedCopies } from './published-copies.js';

/** A shard operation as it is looked up by name, its own types erased. */
type AnyShardOperation = ShardOperation<string, unknown, unknown>;

export interface LocalOperationServices {
  readonly host: ShardHost;
  readonly publishedCopies: PublishedCopies;
  readonly searchers: OpenSearchers;
  readonly clusterState: () => ClusterState;
  readonly identity: () => NodeIdentity;
  readonly contextOf: (cancellation: Cancellation, isOfOtherNode: boolean) => ShardOperationContext;
}

export class LocalOperations {
  private readonly services: LocalOperationServices;
  private running = 0;

  constructor(services: LocalOperationServices) {
    this.services = services;
  }

  /** Operations on shards of this thread that are under way. */
  get underWay(): number {
    return this.running;
  }

  /** On a shard of this thread, or on a view that it holds of one that went elsewhere. */
  async onOwn(
    key: ShardKey,
    name: ShardOperationName,
    input: unknown,
    cancellation: Cancellation,
    isOfOtherNode = false,
  ): Promise<unknown> {
    const { host, contextOf } = this.services;
    const operation = shardOperation(name);
    this.checkBlocks(name);
    const context = contextOf(cancellation, isOfOtherNode);
    let shard: OpenShard;
    try {
      shard = await host.shard(key, AFTER_RESTORES.has(name) ? 'until-restored' : 'not-for-restores');
    } catch (error) {
      const set = operation.onClosed === undefined ? undefined : await host.closedSet(key);
      if (set !== undefined) return operation.onClosed?.(set, key, input, context);
      return this.onHeldView(key, operation, input, context, error);
    }
    cancellation.throwIfCancelled();
    this.running++;
    try {
      return await operation.run(shard, input, context);
    } catch (error) {
      shard.noticeFailure();
      throw orShardGone(error, shard, READS.has(name));
    } finally {
      this.running--;
    }
  }

  /**
   * On what another thread of this node publishes of its copy; undefined where only that one can. A copy publishes what it has from its first
   * moment on: one that is restored, nothing at first.
   */
  onPublished(
    key: ShardKey,
    name: ShardOperationName,
    input: unknown,
    cancellation: Cancellation,
  ): Promise<unknown> | undefined {
    const { publishedCopies, contextOf } = this.services;
    const { onView, onPublished } = shardOperation(name);
    const isOfView = onView?.isForAnyone(input) === true;
    if ((!isOfView && onPublished === undefined) || !this.isActiveHere(key)) return undefined;
    const copy = publishedCopies.copyOf(key);
    if (copy === undefined) return undefined;
    this.checkBlocks(name);
    if (isOfView) {
      const searcher = copy.searcher();
      if (searcher !== undefined) {
        const shard: ViewedShard = { office: 'viewed', key, searcher: () => searcher };
        return Promise.resolve(onView.run(shard, input, contextOf(cancellation, false)));
      }
    } else {
      const output = onPublished?.(copy, input, publishedCopies.isNear);
      if (output !== undefined) return Promise.resolve(output);
    }
    publishedCopies.hadNone(key, copy);
    return undefined;
  }

  /** The copy went elsewhere or belongs to another worker; a view of it may still be held here. */
  private onHeldView(
    key: ShardKey,
    { onView }: AnyShardOperation,
    input: unknown,
    context: ShardOperationContext,
    absent: unknown,
  ): unknown {
    const view = onView?.viewOf(input);
    if (onView === undefined || view === undefined || !this.services.searchers.holds(view, shardName(key)))
      throw absent;
    return onView.run(departedShard(key), input, context);
  }

  private isActiveHere(key: ShardKey): boolean {
    const { clusterState, identity } = this.services;
    const { id } = identity();
    return copiesOf(clusterState(), key).some((copy) => copy.nodeId === id && isActive(copy));
  }

  private checkBlocks(name: ShardOperationName): void {
    const { clusterState, identity } = this.services;
    const level = OPERATION_LEVELS[name];
    const block = level === undefined ? undefined : globalBlock(clusterState(), identity(), level);
    if (block !== undefined) throw block;
  }
}

function shardOperation(name: string): AnyShardOperation {
  const operations = SHARD_OPERATIONS as unknown as Readonly<Record<string, AnyShardOperation>>;
  const operation = Object.hasOwn(operations, name) ? operations[name] : undefined;
  if (operation !== undefined) return operation;
  throw new QuarryError('action_not_found_transport_exception', `there is no operation [${name}] of shards`);
}
