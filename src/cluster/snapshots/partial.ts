/** Mounted indices of which nodes have a part only. */
import type { IndexMetadata } from '../state.js';

/** `true` where nodes have only those parts of the files that were read of late; absent of other indices. */
export const PARTIAL = 'index.store.snapshot.partial';

export function isPartial({ settings }: Pick<IndexMetadata, 'settings'>): boolean {
  return settings.get(PARTIAL) === 'true';
}
