/** The end of a shard's directory. */
import { native } from './addon.js';
import { guardedAsync } from './errors.js';

/**
 * Removes the directory with everything in it; nothing happens when there is none. Waits until no shard, merge or flush works
 * in it any more, and keeps shards from being opened there meanwhile. A crash leaves it whole or removed.
 */
export function removeShardDirectory(directory: string): Promise<void> {
  return guardedAsync(() => native().removeShardDirectory(directory));
}
