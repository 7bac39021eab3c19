import { describe, expect, test } from 'vitest';
import { RequestCache } from '../../../src/actions/searches/request-cache.js';
import type { OpenShard } from '../../../src/actions/shard-operation.js';

/** Each entry takes 512 bytes beside its answer. */
const ANSWER_BYTES = 488;

class FakeShard {
  readonly key: OpenShard['key'];
  refreshGeneration = 1;
  native = { checkpoints: () => ({ refreshGeneration: this.refreshGeneration }) };

  constructor(shard: number) {
    this.key = { index: 'i', indexUuid: 'u', shard };
  }

  get name(): string {
    return `u/${this.key.shard}`;
  }
}

class Cache extends RequestCache {
  made = 0;

  ask(shard: FakeShard, key: string, bytes: number | 'unkept' = ANSWER_BYTES, mappingVersion = 1): string {
    const make = (): string => `answer ${++this.made}`;
    return this.answer(shard as unknown as OpenShard, mappingVersion, { key }, make, () =>
      bytes === 'unkept' ? undefined : bytes,
    );
  }
}

describe('RequestCache', () => {
  test('answers again what was asked of the same view, and counts', () => {
    const cache = new Cache(10_000);
    const shard = new FakeShard(0);
    expect(cache.ask(shard, 'a')).toBe('answer 1');
    expect(cache.ask(shard, 'a')).toBe('answer 1');
    expect(cache.ask(shard, 'b')).toBe('answer 2');
    expect(cache.figures(shard.name)).toEqual({ memoryBytes: 2_000, evictions: 0, hits: 1, misses: 2 });
    expect(cache.figures('u/1')).toEqual({ memoryBytes: 0, evictions: 0, hits: 0, misses: 0 });
  });

  test('a new view, mapping or copy forgets what was known of the one before', () => {
    const cache = new Cache(10_000);
    const shard = new FakeShard(0);
    cache.ask(shard, 'a');
    shard.refreshGeneration = 2;
    expect(cache.ask(shard, 'a')).toBe('answer 2');
    expect(cache.ask(shard, 'a', ANSWER_BYTES, 2)).toBe('answer 3');
    shard.native = { checkpoints: () => ({ refreshGeneration: 2 }) };
    expect(cache.ask(shard, 'a', ANSWER_BYTES, 2)).toBe('answer 4');
    expect(cache.figures(shard.name)).toMatchObject({ memoryBytes: 1_000, evictions: 0 });
  });

  test('the least recently used answer goes first', () => {
    const cache = new Cache(2_000);
    const [one, two] = [new FakeShard(0), new FakeShard(1)];
    cache.ask(one, 'a');
    cache.ask(two, 'b');
    cache.ask(one, 'a');
    cache.ask(two, 'c');
    expect(cache.ask(one, 'a')).toBe('answer 1');
    expect(cache.ask(two, 'b')).toBe('answer 4');
    expect(cache.figures(two.name).evictions).toBe(2);
  });

  test('keeps neither what is too large nor what its maker does not want kept', () => {
    const cache = new Cache(1_000);
    const shard = new FakeShard(0);
    cache.ask(shard, 'large', 600);
    cache.ask(shard, 'partial', 'unkept');
    expect(cache.ask(shard, 'large', 600)).toBe('answer 3');
    expect(cache.figures(shard.name)).toMatchObject({ memoryBytes: 0, misses: 3 });
  });

  test('clearing keeps the figures, forgetting does not', () => {
    const cache = new Cache(10_000);
    const shard = new FakeShard(0);
    cache.ask(shard, 'a');
    cache.clear(shard.name);
    expect(cache.figures(shard.name)).toMatchObject({ memoryBytes: 0, misses: 1 });
    expect(cache.ask(shard, 'a')).toBe('answer 2');
    cache.forget(shard.name);
    expect(cache.figures(shard.name)).toMatchObject({ memoryBytes: 0, misses: 0 });
  });
});
