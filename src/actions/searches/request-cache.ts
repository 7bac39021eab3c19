/**
 * Answers of shards to searches that came before, of the shards of one worker. Each belongs to one view of its shard; the
 * least recently used ones go when there is no room.
 */
import type { OpenShard } from '../shard-operation.js';
import { shardName } from '../shard-client.js';

/** Under which name an answer is looked for and kept. */
export interface CacheUse {
  /** See `search/plan/cache-key.ts`. */
  readonly key: string;
  /** Of the search: an answer that took as long may lack something. */
  readonly timeoutMs?: number;
}

/** Of one shard since it was opened. */
export interface RequestCacheFigures {
  readonly memoryBytes: number;
  readonly evictions: number;
  readonly hits: number;
  readonly misses: number;
}

export const NO_REQUEST_CACHE: RequestCacheFigures = { memoryBytes: 0, evictions: 0, hits: 0, misses: 0 };

/** What an entry takes beside its answer: its names and its places in tables. */
const ENTRY_BYTES = 512;

interface Entry {
  readonly owner: CachedShard;
  readonly bytes: number;
  readonly answer: unknown;
}

interface CachedShard {
  /** The view that the answers are of. */
  view: string;
  readonly keys: Set<string>;
  memoryBytes: number;
  evictions: number;
  hits: number;
  misses: number;
}

export class RequestCache {
  private readonly bytesMax: number;
  private bytes = 0;
  /** The least recently used first. */
  private readonly entries = new Map<string, Entry>();
  private readonly shards = new Map<string, CachedShard>();
  private readonly serials = new WeakMap<object, number>();
  private nextSerial = 1;

  constructor(bytesMax: number) {
    this.bytesMax = bytesMax;
  }

  /** What is kept, or what `make` gives. `bytesOf` tells how much that is; undefined: it is not kept. */
  answer<Answer>(
    shard: OpenShard,
    mappingVersion: number,
    { key }: CacheUse,
    make: () => Answer,
    bytesOf: (answer: Answer) => number | undefined,
  ): Answer {
    const name = shardName(shard.key);
    const owner = this.shardAt(name, this.viewOf(shard, mappingVersion));
    const full = `${name}/${key}`;
    const kept = this.entries.get(full);
    if (kept !== undefined) {
      owner.hits++;
      this.entries.delete(full);
      this.entries.set(full, kept);
      // The key names plan and kind of operation, hence the type of the answer.
      return kept.answer as Answer;
    }
    owner.misses++;
    const answer = make();
    const bytes = bytesOf(answer);
    if (bytes !== undefined) this.keep(full, { owner, bytes: bytes + ENTRY_BYTES, answer });
    return answer;
  }

  figures(name: string): RequestCacheFigures {
    const shard = this.shards.get(name);
    if (shard === undefined) return NO_REQUEST_CACHE;
    const { memoryBytes, evictions, hits, misses } = shard;
    return { memoryBytes, evictions, hits, misses };
  }

  /** Drops the answers of a shard; its figures stay. */
  clear(name: string): void {
    const shard = this.shards.get(name);
    if (shard !== undefined) this.drop(shard);
  }

  /** The shard was closed. */
  forget(name: string): void {
    this.clear(name);
    this.shards.delete(name);
  }

  private keep(full: string, entry: Entry): void {
    if (entry.bytes > this.bytesMax) return;
    this.entries.set(full, entry);
    entry.owner.keys.add(full);
    entry.owner.memoryBytes += entry.bytes;
    this.bytes += entry.bytes;
    while (this.bytes > this.bytesMax) {
      const [oldest] = this.entries;
      if (oldest === undefined) return;
      oldest[1].owner.evictions++;
      this.remove(oldest[0], oldest[1]);
    }
  }

  private remove(full: string, { owner, bytes }: Entry): void {
    this.entries.delete(full);
    owner.keys.delete(full);
    owner.memoryBytes -= bytes;
    this.bytes -= bytes;
  }

  private drop(shard: CachedShard): void {
    for (const full of [...shard.keys]) {
      const entry = this.entries.get(full);
      if (entry !== undefined) this.remove(full, entry);
    }
  }

  /** Answers of an older view are of no use to anyone. */
  private shardAt(name: string, view: string): CachedShard {
    let shard = this.shards.get(name);
    if (shard === undefined) {
      shard = { view, keys: new Set(), memoryBytes: 0, evictions: 0, hits: 0, misses: 0 };
      this.shards.set(name, shard);
    }
    if (shard.view !== view) {
      this.drop(shard);
      shard.view = view;
    }
    return shard;
  }

  private viewOf({ native }: OpenShard, mappingVersion: number): string {
    let serial = this.serials.get(native);
    if (serial === undefined) {
      serial = this.nextSerial++;
      this.serials.set(native, serial);
    }
    return `${serial}/${native.checkpoints().refreshGeneration}/${mappingVersion}`;
  }
}
