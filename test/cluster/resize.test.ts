/** Which numbers of shards fit each other, and what a shard is made of. */
import { describe, expect, it } from 'vitest';
import {
  checkDocumentsFit,
  checkShardNumbers,
  shardsForSize,
  sourceShards,
  type ResizeKind,
  type ShardDocuments,
} from '../../src/cluster/resize.js';
import type { IndexMetadata } from '../../src/cluster/state.js';

function source(numberOfShards: number, routingNumShards: number): IndexMetadata {
  return { numberOfShards, routingNumShards } as IndexMetadata;
}

describe('numbers of shards', () => {
  it.each<readonly [ResizeKind, number, number, number, string]>([
    ['shrink', 8, 16, 3, 'the number of source shards [8] must be a multiple of [3]'],
    ['shrink', 5, 10, 10, 'the number of target shards [10] must be less that the number of source shards [5]'],
    ['split', 2, 8, 3, 'the number of source shards [2] must be a factor of [3]'],
    ['split', 2, 4, 6, 'the number of routing shards [4] must be a multiple of the target shards [6]'],
    ['split', 4, 8, 2, 'the number of source shards [4] must be less that the number of target shards [2]'],
    ['clone', 2, 4, 4, 'the number of target shards (4) must be the same as the number of  source shards ( 2)'],
  ])('%s of %d (%d for routing) to %d is refused', (kind, shards, routing, target, reason) => {
    expect(() => {
      checkShardNumbers(kind, source(shards, routing), target);
    }).toThrow(reason);
  });

  it('one shard may become any number', () => {
    expect(() => {
      checkShardNumbers('split', source(1, 1024), 7);
    }).not.toThrow();
  });
});

it('a shard is made of those whose documents it gets', () => {
  expect(sourceShards(4, 2, 1)).toEqual([2, 3]);
  expect(sourceShards(2, 6, 5)).toEqual([1]);
  expect(sourceShards(3, 3, 2)).toEqual([2]);
});

it('as few shards as keep each below its size', () => {
  expect(shardsForSize(8, 0, 10)).toBe(1);
  expect(shardsForSize(8, 25, 10)).toBe(4);
  expect(shardsForSize(6, 1_000, 10)).toBe(6);
});

it('no shard is made of more documents than one may hold', () => {
  const four = { ...source(4, 8), name: 'logs' };
  const shard = (heldDocuments: number): ShardDocuments => ({ documents: 1, deleted: 0, heldDocuments });
  const held = (third: number): ReadonlyMap<number, ShardDocuments> =>
    new Map([
      [0, shard(2_147_483_519)],
      [1, shard(0)],
      [2, shard(third)],
      [3, shard(2_147_483_518)],
    ]);
  expect(() => {
    checkDocumentsFit(four, 2, held(1));
  }).not.toThrow();
  expect(() => {
    checkDocumentsFit(four, 2, held(2));
  }).toThrow(
    "Can't merge index with more than [2147483519] docs - too many documents in shards [[logs][2], [logs][3]]",
  );
});

it('shards that do not tell what they hold count their documents, deleted ones too', () => {
  const two = source(2, 2);
  const of = (documents: number, deleted: number): void => {
    const shards = [
      { documents, deleted },
      { documents: 1_000, deleted: 0 },
    ];
    checkDocumentsFit(two, 1, new Map(shards.entries()));
  };
  expect(() => {
    of(2_147_482_419, 100);
  }).not.toThrow();
  expect(() => {
    of(2_147_482_419, 101);
  }).toThrow("Can't merge index with more than [2147483519] docs");
});
