/** What the `profile` of a search tells of the searches for the nearest vectors before its query: `dfs.knn` of each shard. */

/** Of one shard, as the kernels write it (`search/profile.rs`). */
export interface ShardProfile {
  readonly id: string;
  readonly searches: readonly object[];
}

interface Profile {
  readonly shards: readonly ShardProfile[];
}

export function profilesOf(profile: Uint8Array | undefined): readonly ShardProfile[] {
  return profile === undefined ? [] : read(profile).shards;
}

/** The profile with these searches beside those of the same shards. */
export function withNearestProfiles(profile: Uint8Array, nearest: readonly ShardProfile[]): Uint8Array {
  const shards = read(profile).shards.map((shard) => {
    const knn = nearest.filter(({ id }) => id === shard.id).flatMap(({ searches }) => searches);
    if (knn.length === 0) return shard;
    const { id, ...others } = shard;
    return { id, dfs: { knn }, ...others };
  });
  return Buffer.from(JSON.stringify({ shards }), 'utf8');
}

function read(profile: Uint8Array): Profile {
  return JSON.parse(Buffer.from(profile).toString('utf8')) as Profile;
}
