/** Work on one open shard, named so that it can be asked for from another worker. Input and output are plain data. */
import type { Cancellation } from '../base/cancellation.js';
import type { Clock } from '../base/clock.js';
import type { ProductName } from '../base/compatible-versions.js';
import type { IndexingPressure } from '../base/indexing-pressure.js';
import type { Logger } from '../base/logger.js';
import type { Random } from '../base/random.js';
import type { CoordinatorClient } from '../coordinator/client.js';
import { QuarryError } from '../base/errors.js';
import type { ClusterState } from '../cluster/state.js';
import type { ManagedReplica } from '../shard/managed-replica.js';
import type { ManagedShard } from '../shard/managed-shard.js';
import type { PublishedCopy } from '../native/published-copy.js';
import type { SegmentSet } from '../native/replication.js';
import type { Searcher } from '../native/searcher.js';
import type { HeldName, OpenSearchers } from './searches/contexts/open-searchers.js';
import type { ReadContext } from './read-from-copies.js';
import type { RepositoryAccess } from './snapshots/repository-access.js';
import type { ShardKey } from './shard-client.js';

/** A copy of a shard as its owner holds it. */
export type OpenShard = ManagedShard | ManagedReplica;

export interface ShardOperationContext {
  readonly coordinator: CoordinatorClient;
  /** As this worker knows it. */
  readonly clusterState: () => ClusterState;
  readonly clock: Clock;
  readonly random: Random;
  readonly cancellation: Cancellation;
  /** See `Attended`. */
  readonly isNear?: boolean;
  readonly logger: Logger;
  /** As which product the node answers. */
  readonly distribution: ProductName;
  /** Throws while the shards of this node hold too much memory to take more writes. */
  readonly checkAccounting: () => void;
  /** As in `ActionContext`. */
  readonly pressure: IndexingPressure;
  /** Who asks is another node. */
  readonly isOfOtherNode: boolean;
  /** To read documents, of whatever shard. */
  readonly reads: () => ReadContext;
  /** Of this worker. */
  readonly searchers: OpenSearchers;
  /** Where the files are lent to that a shard of another index, on this node, takes from a shard of this number. */
  readonly directoryOfPart: (indexUuid: string, shard: number, sourceShard: number) => string;
  /** Of this worker. */
  readonly repositories: RepositoryAccess;
}

export interface ShardOperation<Name extends string, Input, Output> {
  readonly name: Name;
  run(shard: OpenShard, input: Input, context: ShardOperationContext): Promise<Output> | Output;
  /** What a view suffices for. */
  readonly onView?: {
    /** One that is held, which outlives the copy that it was made of. Undefined: the input names none. */
    viewOf(input: Input): HeldName | undefined;
    /** The newest view does, and whoever has it may carry the operation out: not the owner of the copy alone. */
    isForAnyone(input: Input): boolean;
    run(shard: SearchedShard, input: Input, context: ShardOperationContext): Promise<Output> | Output;
  };
  /** Of a primary of a closed index, which nobody holds open. */
  readonly onClosed?: (set: SegmentSet, key: ShardKey, input: Input, context: ShardOperationContext) => Promise<Output>;
  /** By another thread than the owner's, perhaps one for which everybody waits; undefined where only the owner can. */
  readonly onPublished?: (copy: PublishedCopy, input: Input, isNear: boolean) => Output | undefined;
}

/** A copy that another worker of this node owns, or that went elsewhere, for what its views suffice for. */
export interface ViewedShard {
  readonly office: 'viewed';
  readonly key: ShardKey;
  /** Of the newest view. */
  searcher(): Searcher;
}

export type SearchedShard = OpenShard | ViewedShard;

/** A shard whose copy went elsewhere, for the views that are still held of it. */
export function departedShard(key: ShardKey): ViewedShard {
  const gone = (): never => {
    throw new QuarryError('shard_not_found_exception', 'no such shard', {
      details: { index_uuid: key.indexUuid, shard: String(key.shard), index: key.index },
    });
  };
  return { office: 'viewed', key, searcher: gone };
}

/** On any copy. Input and output must survive a structured clone; large bytes are better shared than copied. */
export function defineShardOperation<const Name extends string, Input, Output>(
  name: Name,
  run: ShardOperation<Name, Input, Output>['run'],
): ShardOperation<Name, Input, Output> {
  return { name, run };
}

/** As {@link defineShardOperation}, also of a held view whose copy went elsewhere. */
export function defineHeldViewOperation<const Name extends string, Input, Output>(
  name: Name,
  viewOf: (input: Input) => HeldName | undefined,
  run: (shard: SearchedShard, input: Input, context: ShardOperationContext) => Promise<Output> | Output,
): ShardOperation<Name, Input, Output> {
  return { name, run, onView: { viewOf, isForAnyone: () => false, run } };
}

/**
 * As {@link defineHeldViewOperation}, of the newest view where the input names none: any worker of the node carries it out then, unless
 * `needsOwner` says otherwise.
 */
export function defineReadOperation<const Name extends string, Input extends object, Output>(
  name: Name,
  run: (shard: SearchedShard, input: Input, context: ShardOperationContext) => Promise<Output> | Output,
  needsOwner: (input: Input) => boolean = () => false,
): ShardOperation<Name, Input, Output> {
  const viewOf = (input: Input): HeldName | undefined =>
    'view' in input ? (input.view as HeldName | undefined) : undefined;
  const isForAnyone = (input: Input): boolean => viewOf(input) === undefined && !needsOwner(input);
  return { name, run, onView: { viewOf, isForAnyone, run } };
}

/** As {@link defineShardOperation}, refused by replicas. */
export function definePrimaryOperation<const Name extends string, Input, Output>(
  name: Name,
  run: (shard: ManagedShard, input: Input, context: ShardOperationContext) => Promise<Output> | Output,
  more: Pick<ShardOperation<Name, Input, Output>, 'onPublished' | 'onClosed'> = {},
): ShardOperation<Name, Input, Output> {
  return {
    name,
    ...more,
    run: (shard, input, context) => {
      if (shard.office === 'replica') throw wrongOffice(name, shard);
      return run(shard, input, context);
    },
  };
}

/** As {@link defineShardOperation}, refused by primaries. */
export function defineReplicaOperation<const Name extends string, Input, Output>(
  name: Name,
  run: (shard: ManagedReplica, input: Input, context: ShardOperationContext) => Promise<Output> | Output,
): ShardOperation<Name, Input, Output> {
  return {
    name,
    run: (shard, input, context) => {
      if (shard.office === 'primary') throw wrongOffice(name, shard);
      return run(shard, input, context);
    },
  };
}

/** Who asked knows an older or newer cluster state: the other copy is to be asked. */
function wrongOffice(name: string, { key, office }: OpenShard): QuarryError {
  const reason = `[${name}] cannot be done here: this copy of [${key.index}][${key.shard}] is a ${office}`;
  return new QuarryError('shard_not_found_exception', reason, {
    details: { index: key.index, shard: String(key.shard) },
  });
}
