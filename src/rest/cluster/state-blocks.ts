/** `blocks` of `_cluster/state`: what may not be done now, to the cluster and to each index. */
import type { JsonObject } from '../../base/json-value.js';
import { activeBlocks } from '../../cluster/blocks/blocks.js';
import { globalBlocks, type OwnRun } from '../../cluster/blocks/global-blocks.js';
import type { ClusterState, IndexMetadata } from '../../cluster/state.js';

const CLOSED = { description: 'index closed', retryable: false, levels: ['read', 'write'] } as const;
const CLOSED_ID = '4';

export function renderBlocks(state: ClusterState, indices: readonly IndexMetadata[], self: OwnRun): JsonObject {
  const global = globalBlocks(state, self).map(
    ({ id, description, levels, disablesPersistence }) =>
      [
        String(id),
        {
          description,
          retryable: true,
          ...(disablesPersistence ? { disable_state_persistence: true } : {}),
          levels,
        },
      ] as const,
  );
  const each = indices.flatMap((index) => {
    const blocks = indexBlocks(index);
    return blocks.length === 0 ? [] : [[index.name, Object.fromEntries(blocks)] as const];
  });
  return {
    ...(global.length === 0 ? {} : { global: Object.fromEntries(global) }),
    ...(each.length === 0 ? {} : { indices: Object.fromEntries(each) }),
  };
}

function indexBlocks(index: IndexMetadata): readonly (readonly [string, JsonObject])[] {
  const blocks = activeBlocks(index).map(
    ({ id, description, levels }) => [String(id), { description, retryable: false, levels }] as const,
  );
  return index.state === 'close' ? [...blocks, [CLOSED_ID, CLOSED]] : blocks;
}
