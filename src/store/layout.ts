/** Where in a data directory the copies of shards are. */
import { join } from 'node:path';

export function indicesDirectory(dataPath: string): string {
  return join(dataPath, 'indices');
}

export function indexDirectory(indicesPath: string, indexUuid: string): string {
  return join(indicesPath, indexUuid);
}

/** Directory of one shard: `indices/<uuid>/<number>`. */
export function shardDirectory(indicesPath: string, indexUuid: string, shard: number): string {
  return join(indicesPath, indexUuid, String(shard));
}

/** Inside the directory of a shard that is being made: what it takes from a shard of its source. */
export function partDirectory(indicesPath: string, indexUuid: string, shard: number, sourceShard: number): string {
  return join(shardDirectory(indicesPath, indexUuid, shard), `part_${sourceShard}`);
}

export interface ShardPlace {
  readonly indexUuid: string;
  readonly shard: number;
}

/** The directory of a shard by its name; undefined for anything else. */
export function shardNumber(name: string): number | undefined {
  return /^(?:0|[1-9]\d{0,8})$/.test(name) ? Number(name) : undefined;
}
