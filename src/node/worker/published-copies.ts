/** Copies of shards that workers of this node own, as another of its threads finds them. */
import { shardName, type ShardKey } from '../../actions/shard-client.js';
import type { GetResult, OptionsText } from '../../native/get-options.js';
import { PublishedCopy } from '../../native/published-copy.js';
import type { Searcher } from '../../native/searcher.js';
import { shardDirectory } from '../../store/layout.js';

/** Copies that are remembered: to find one again costs some microseconds. */
const COPIES_MAX = 10_000;
/** From so many on those that are closed are looked for: what is deleted is not asked for again, and nothing else lets go of it. */
const SWEPT_MIN = 32;

export class PublishedCopies {
  /** Whether the thread is one for which everybody waits. */
  readonly isNear: boolean;
  private readonly indicesPath: string;
  private readonly found = new Map<string, PublishedCopy>();
  private sweptAt = SWEPT_MIN;

  constructor(indicesPath: string, isNear: boolean) {
    this.indicesPath = indicesPath;
    this.isNear = isNear;
  }

  /** Undefined: none is open. It may be closed by the time that something is asked of it. */
  copyOf(key: ShardKey): PublishedCopy | undefined {
    const name = shardName(key);
    return this.found.get(name) ?? this.find(name, key);
  }

  /** A document by its id; undefined where the owner is to be asked, also for an answer of more bytes. */
  read(key: ShardKey, id: string, options: OptionsText, bodyBytesMax?: number): GetResult | undefined {
    const copy = this.copyOf(key);
    const result = copy?.get(id, options, { isNear: this.isNear, bodyBytesMax });
    if (copy !== undefined && result === undefined) this.hadNone(key, copy);
    return result;
  }

  /** Of the newest view; undefined where the owner is to be asked. */
  searcher(key: ShardKey): Searcher | undefined {
    const copy = this.copyOf(key);
    const searcher = copy?.searcher();
    if (copy !== undefined && searcher === undefined) this.hadNone(key, copy);
    return searcher;
  }

  /** Call for a copy that had no answer: one that is closed is not found again. */
  hadNone(key: ShardKey, copy: PublishedCopy): void {
    if (copy.isClosed) this.found.delete(shardName(key));
  }

  private find(name: string, { indexUuid, shard }: ShardKey): PublishedCopy | undefined {
    const copy = PublishedCopy.in(shardDirectory(this.indicesPath, indexUuid, shard));
    if (copy === undefined) return undefined;
    if (this.found.size >= this.sweptAt) this.sweep();
    const [oldest] = this.found.size < COPIES_MAX ? [] : this.found.keys();
    if (oldest !== undefined) this.found.delete(oldest);
    this.found.set(name, copy);
    return copy;
  }

  /** Comes so seldom that each copy that is found pays for looking at two. */
  private sweep(): void {
    for (const [name, copy] of this.found) if (copy.isClosed) this.found.delete(name);
    this.sweptAt = Math.max(SWEPT_MIN, 2 * this.found.size);
  }
}
