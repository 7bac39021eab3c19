/**
 * A state under change: indices and copies of shards are replaced one by one, and the maps of the next state are made
 * once, at the end.
 */
import { must } from '../base/assert.js';
import { withEntries } from '../base/shared-map.js';
import type { ClusterState, IndexMetadata, IndexRouting, ShardCopy } from './state.js';

export class StateDraft {
  readonly base: ClusterState;
  private readonly changedIndices = new Map<string, IndexMetadata>();
  private readonly changedShards = new Map<string, (readonly ShardCopy[])[]>();

  constructor(base: ClusterState) {
    this.base = base;
  }

  index(name: string): IndexMetadata | undefined {
    return this.changedIndices.get(name) ?? this.base.indices.get(name);
  }

  putIndex(index: IndexMetadata): void {
    this.changedIndices.set(index.name, index);
  }

  /** The copies of one shard; none when there is no such shard. */
  copies(index: string, shard: number): readonly ShardCopy[] {
    return this.shards(index)[shard] ?? [];
  }

  /** By shard number. */
  shards(index: string): readonly (readonly ShardCopy[])[] {
    return this.changedShards.get(index) ?? this.base.routing.get(index)?.shards ?? [];
  }

  putCopies(index: string, shard: number, copies: readonly ShardCopy[]): void {
    let shards = this.changedShards.get(index);
    if (shards === undefined) {
      shards = [...must(this.base.routing.get(index), 'the routing of a changed shard').shards];
      this.changedShards.set(index, shards);
    }
    shards[shard] = copies;
  }

  replaceCopy(index: string, before: ShardCopy, after: ShardCopy): void {
    const copies = this.copies(index, before.shard);
    this.putCopies(
      index,
      before.shard,
      copies.map((copy) => (copy === before ? after : copy)),
    );
  }

  get hasChanged(): boolean {
    return this.changedIndices.size > 0 || this.changedShards.size > 0;
  }

  /** The same map when nothing of it changed. */
  indices(): ClusterState['indices'] {
    if (this.changedIndices.size === 0) return this.base.indices;
    return withEntries(this.base.indices, this.changedIndices);
  }

  /** The same map when nothing of it changed. */
  routing(): ClusterState['routing'] {
    if (this.changedShards.size === 0) return this.base.routing;
    return withEntries(
      this.base.routing,
      Array.from(this.changedShards, ([name, shards]): [string, IndexRouting] => {
        const table = must(this.base.routing.get(name), 'the routing of a changed index');
        return [name, { ...table, shards: [...shards] }];
      }),
    );
  }
}
