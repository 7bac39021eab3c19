/**
 * What the shards of one worker hold outside the page cache, for the accounting breaker: asked of the kernels shard by shard, some each
 * second, so that it costs little however many there are. The worker refuses writes while all workers together hold too much.
 */
import { DURABILITY, tooMuchData, type BreakerWords } from '../../base/breakers.js';
import type { Clock } from '../../base/clock.js';
import type { ShardStats } from '../../native/shard-statistics.js';

const LOOK_MS = 1_000;
/** In one look. */
const SHARDS_MAX = 32;

/** A shard that can be asked, or cannot while it is opened or closed. */
export interface CountedShard {
  readonly native: { stats(): ShardStats };
}

export interface AccountedMemoryOptions {
  readonly words: BreakerWords;
  readonly slot: number;
  readonly clock: Clock;
  /** Those that are open now. */
  readonly shards: () => Iterable<CountedShard>;
  /** At this moment. */
  readonly limitBytes: () => number;
}

export class AccountedMemory {
  private readonly options: AccountedMemoryOptions;
  private held = new Map<CountedShard, number>();
  /** Where the next look begins. */
  private next = 0;

  constructor(options: AccountedMemoryOptions) {
    this.options = options;
    options.words.setAccounted(options.slot, 0);
    this.lookLater();
  }

  /** Throws while the shards of the node hold too much. */
  check(): void {
    const { words, limitBytes: limit } = this.options;
    const wantedBytes = words.accountedBytes();
    const limitBytes = limit();
    if (wantedBytes <= limitBytes) return;
    words.trip('accounting');
    throw tooMuchData('accounting', '<shards>', { wantedBytes, limitBytes, durability: DURABILITY.accounting });
  }

  /** Asks the next few shards, and forgets those that are gone. */
  look(): void {
    const shards = [...this.options.shards()];
    const known = this.held;
    this.held = new Map(shards.flatMap((shard) => entryOf(shard, known.get(shard))));
    const count = Math.min(SHARDS_MAX, shards.length);
    for (let asked = 0; asked < count; asked++) {
      const shard = shards[(this.next + asked) % shards.length];
      if (shard !== undefined) this.held.set(shard, bytesOf(shard) ?? 0);
    }
    this.next = shards.length === 0 ? 0 : (this.next + count) % shards.length;
    let sum = 0;
    for (const bytes of this.held.values()) sum += bytes;
    this.options.words.setAccounted(this.options.slot, sum);
  }

  private lookLater(): void {
    this.options.clock.schedule(LOOK_MS, () => {
      this.look();
      this.lookLater();
    });
  }
}

function entryOf(shard: CountedShard, bytes: number | undefined): readonly (readonly [CountedShard, number])[] {
  return bytes === undefined ? [] : [[shard, bytes]];
}

/** Versions of documents, the newest operations, readers of segments, and completions. Undefined of one that cannot be asked now. */
function bytesOf(shard: CountedShard): number | undefined {
  try {
    const { buffer, translog, readerBytes, completionBytes } = shard.native.stats();
    const completions = Object.values(completionBytes).reduce((sum, bytes) => sum + bytes, 0);
    return buffer.versionMapBytes + translog.tailBytes + readerBytes + completions;
  } catch {
    return undefined;
  }
}
