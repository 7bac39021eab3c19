/** Scrolls and points in time that a copy of a shard holds open. */
import { shardName } from '../shard-client.js';
import { defineHeldViewOperation, defineShardOperation } from '../shard-operation.js';
import type { HeldName, Keep } from '../searches/contexts/open-searchers.js';

export const openPit = defineShardOperation('open-pit', (shard, input: Keep, context): HeldName =>
  context.searchers.keepPit(shardName(shard.key), input, shard.searcher()),
);

export interface NamePitInput {
  readonly searcher: HeldName;
  readonly pitId: string;
}

/** Tells the shard the id by which clients know the point in time, for lists of them. */
export const namePit = defineHeldViewOperation(
  'name-pit',
  ({ searcher }: NamePitInput) => searcher,
  (shard, input, context): null => {
    const { pit } = context.searchers.get(shardName(shard.key), input.searcher);
    if (pit !== undefined) pit.pitId = input.pitId;
    return null;
  },
);

export interface ListedPit {
  readonly pitId: string;
  readonly createdMs: number;
  readonly keepAliveMs: number;
}

/** Of one owner. */
export const listPits = defineShardOperation('list-pits', (shard, owner: string, context): readonly ListedPit[] =>
  context.searchers.list(shardName(shard.key), 'pit').flatMap(({ pit, keepAliveMs, seal }) =>
    // One that has no name yet is being opened.
    pit === undefined || pit.pitId === '' || seal?.owner !== owner
      ? []
      : [{ pitId: pit.pitId, createdMs: pit.createdMs, keepAliveMs }],
  ),
);

/** Closes every scroll of the shard and tells how many there were. */
export const releaseScrolls = defineShardOperation('release-scrolls', (shard, _input: null, context): number => {
  const name = shardName(shard.key);
  const scrolls = context.searchers.list(name, 'scroll');
  return scrolls.filter((scroll) => context.searchers.release(name, scroll)).length;
});
