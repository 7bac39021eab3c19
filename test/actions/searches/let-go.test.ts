import { describe, expect, it } from 'vitest';
import type { ActionContext } from '../../../src/actions/context.js';
import { letGo } from '../../../src/actions/searches/shards/query-and-fetch.js';

const key = { index: 'a', indexUuid: 'u', shard: 0 };
const shard = { key, place: { nodeId: 'n', workerSlot: 0 }, plan: new Uint8Array(0), groups: [] };
const searcher = { id: 7, token: 't' };

describe('searchers that are let go', () => {
  it('are so by work that nobody can cancel, since the search may have been', () => {
    const released: unknown[] = [];
    const onCopy = (...[, , name, input]: readonly unknown[]): Promise<void> => {
      released.push([name, input]);
      return Promise.resolve();
    };
    const cancelled = { onCopy: () => Promise.reject(new Error('cancelled')) };
    const context = { shards: cancelled, tasks: { detached: () => ({ shards: { onCopy } }) } };
    const shards = [
      { ...shard, searcher, isKept: false },
      { ...shard, searcher, isKept: true },
    ];
    letGo(shards, context as unknown as ActionContext);
    expect(released).toEqual([['release-searcher', { searcher }]]);
  });
});
