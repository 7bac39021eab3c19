/** What a node has of the files of a partially mounted shard. */
import type { RemoteFileFigures } from '../../native/remote-files.js';
import { definePrimaryOperation } from '../shard-operation.js';

/** Empty where all files are the node's own. */
export const remoteFiles = definePrimaryOperation(
  'remote-files',
  (shard, _input: null): readonly RemoteFileFigures[] => shard.native.remote?.figures() ?? [],
);

/** Gives up what the cache has of them, but for what is being read. */
export const clearRemoteFiles = definePrimaryOperation('clear-remote-files', (shard, _input: null): null => {
  shard.native.remote?.clear();
  return null;
});
