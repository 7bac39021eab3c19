/** Which index a write that names an index or an alias goes to. */
import { illegalArgument } from '../../base/errors.js';
import { aliasTable, writeTarget } from '../../cluster/aliases/aliases.js';
import { checkBlocks } from '../../cluster/blocks/blocks.js';
import { parentStream, writeIndexOf } from '../../cluster/data-streams/data-streams.js';
import { resolveDateMathName } from '../../cluster/names/date-math-name.js';
import { aliasRequired, indexClosed, indexNotFound } from '../../cluster/names/index-expression.js';
import { numberSetting } from '../../cluster/settings/index-values.js';
import { requireNames } from '../../cluster/security/index-access.js';
import type { ClusterState, DataStream, IndexMetadata } from '../../cluster/state.js';
import type { RoutingTarget } from '../../native/bulk.js';
import type { ShardKey } from '../shard-client.js';

export interface WriteTarget {
  readonly index: IndexMetadata;
  /** What the alias demands of every document written through it. */
  readonly aliasRouting: string | undefined;
  /** The data stream that was named. */
  readonly stream?: DataStream;
  /** The data stream whose index was named. */
  readonly parent?: DataStream;
}

/** Undefined when nothing of this name exists. Closed and blocked indices are refused. */
export function findWriteTarget(state: ClusterState, expression: string, nowMs: number): WriteTarget | undefined {
  const name = resolveDateMathName(expression, nowMs);
  requireNames(state, [name]);
  const target = concreteTarget(state, name);
  if (target === undefined) return undefined;
  if (target.index.state !== 'open') throw indexClosed(target.index);
  checkBlocks(target.index, 'write');
  return target;
}

/** Like {@link findWriteTarget}; a missing index is refused. */
export function requireWriteTarget(state: ClusterState, expression: string, nowMs: number): WriteTarget {
  const target = findWriteTarget(state, expression, nowMs);
  if (target === undefined) throw indexNotFound(resolveDateMathName(expression, nowMs));
  return target;
}

/** Refuses a name that is no alias. */
export function requireAlias(state: ClusterState, expression: string, nowMs: number): void {
  const name = resolveDateMathName(expression, nowMs);
  if (!aliasTable(state).has(name)) throw aliasRequired(name);
}

export function routingTarget(index: IndexMetadata): RoutingTarget {
  return {
    shards: index.numberOfShards,
    routingShards: index.routingNumShards,
    partitionSize: numberSetting(index, 'routingPartitionSize'),
  };
}

export function shardKey(index: IndexMetadata, shard: number): ShardKey {
  return { index: index.name, indexUuid: index.uuid, shard };
}

/** The routing that holds when an alias and a request both have their say. */
export function combinedRouting(target: WriteTarget, asked: string | undefined, id: string): string | undefined {
  const { aliasRouting, index } = target;
  if (aliasRouting === undefined || asked === undefined || asked === aliasRouting) return asked ?? aliasRouting;
  throw illegalArgument(
    `Alias [${index.name}] has index routing associated with it [${aliasRouting}], and was provided with routing value ` +
      `[${asked}], rejecting operation on document [${id}]`,
  );
}

function concreteTarget(state: ClusterState, name: string): WriteTarget | undefined {
  const index = state.indices.get(name);
  if (index !== undefined) {
    const parent = parentStream(state, name);
    return { index, aliasRouting: undefined, ...(parent === undefined ? {} : { parent }) };
  }
  const stream = state.dataStreams.get(name);
  if (stream !== undefined) return { index: writeIndexOf(state, stream), aliasRouting: undefined, stream };
  const targets = aliasTable(state).get(name);
  if (targets === undefined) return undefined;
  const target = writeTarget(targets);
  if (target === undefined) {
    throw illegalArgument(
      `no write index is defined for alias [${name}]. The write index may be explicitly disabled using ` +
        'is_write_index=false or the alias points to multiple indices without one being designated as a write index',
    );
  }
  const { index: written, metadata, stream: named } = target;
  return { index: written, aliasRouting: metadata.indexRouting, ...(named === undefined ? {} : { stream: named }) };
}
