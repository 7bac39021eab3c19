/** Files of indices that the cluster knows neither as its own nor as deleted. */
import { readWholeCopyRecord } from '../../store/copy-record.js';
import { readIndexRecord } from '../../store/index-record.js';
import { indicesDirectory, shardDirectory } from '../../store/layout.js';
import { shardPlaces } from '../../store/shard-directories.js';
import { defineNodeAction } from './node-action.js';

export interface UnknownIndex {
  readonly indexUuid: string;
  /** As its files call it; null where they do not say. */
  readonly name: string | null;
  readonly createdAtMs: number | null;
}

/** What is written down of an index beside its files; null where nothing is. */
export const indexRecord = defineNodeAction(
  'index-record',
  async (context, { indexUuid }: { readonly indexUuid: string }): Promise<string | null> => {
    const path = indicesDirectory(context.node.dataPath);
    const isThere = (await shardPlaces(path, context.loop)).some((place) => place.indexUuid === indexUuid);
    return isThere ? ((await readIndexRecord(path, indexUuid)) ?? null) : null;
  },
);

export const unknownIndices = defineNodeAction(
  'unknown-indices',
  async (context, _input: null): Promise<readonly UnknownIndex[]> => {
    const { indices, tombstones } = context.clusterState();
    const known = new Set([...indices.values()].map(({ uuid }) => uuid));
    const path = indicesDirectory(context.node.dataPath);
    const found = new Map<string, UnknownIndex>();
    for (const { indexUuid, shard } of await shardPlaces(path, context.loop)) {
      if (known.has(indexUuid) || tombstones.has(indexUuid) || typeof found.get(indexUuid)?.name === 'string') continue;
      // One that cannot be read does not tell its name.
      const record = readWholeCopyRecord(shardDirectory(path, indexUuid, shard));
      found.set(indexUuid, { indexUuid, name: record?.index ?? null, createdAtMs: record?.indexCreatedAtMs ?? null });
    }
    return [...found.values()];
  },
);
