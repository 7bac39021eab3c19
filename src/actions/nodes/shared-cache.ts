/** What a node's cache for files of repositories did. */
import type { SharedCacheFigures } from '../../native/shared-cache.js';
import { defineNodeAction } from './node-action.js';

/** Null where the node has none. */
export const sharedCache = defineNodeAction(
  'shared-cache',
  async (_context, _input: null): Promise<SharedCacheFigures | null> => {
    const { sharedCacheFigures } = await import('../../native/shared-cache.js');
    return sharedCacheFigures() ?? null;
  },
);
