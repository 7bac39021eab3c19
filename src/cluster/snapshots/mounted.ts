/** Whether the data of an index is that of a snapshot. Apart from `mounts.ts`: all threads of a node ask it of each copy. */
import type { IndexMetadata } from '../state.js';

export const STORE_TYPE = 'index.store.type';
/** The value of {@link STORE_TYPE} that says so. */
export const MOUNTED = 'snapshot';

export function isMounted({ settings }: Pick<IndexMetadata, 'settings'>): boolean {
  return settings.get(STORE_TYPE) === MOUNTED;
}
