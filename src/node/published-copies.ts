/** Copies of shards that other workers of this node own, as one worker finds them. */
import { shardName, type ShardKey } from '../actions/shard-client.js';
import { PublishedCopy } from '../native/published-copy.js';
import type { Searcher } from '../native/searcher.js';
import { shardDirectory } from '../store/layout.js';

/** Copies that are remembered: to find one again costs some microseconds. */
const COPIES_MAX = 10_000;

export class PublishedCopies {
  private readonly indicesPath: string;
  private readonly found = new Map<string, PublishedCopy>();

  constructor(indicesPath: string) {
    this.indicesPath = indicesPath;
  }

  /** Of the newest view; undefined where the owner is to be asked. */
  searcherOf(key: ShardKey): Searcher | undefined {
    const name = shardName(key);
    const copy = this.found.get(name) ?? this.find(name, key);
    const searcher = copy?.searcher();
    if (searcher === undefined && copy?.isClosed === true) this.found.delete(name);
    return searcher;
  }

  private find(name: string, { indexUuid, shard }: ShardKey): PublishedCopy | undefined {
    const copy = PublishedCopy.in(shardDirectory(this.indicesPath, indexUuid, shard));
    if (copy === undefined) return undefined;
    const [oldest] = this.found.size < COPIES_MAX ? [] : this.found.keys();
    if (oldest !== undefined) this.found.delete(oldest);
    this.found.set(name, copy);
    return copy;
  }
}
