/** New fields that documents bring, less those of documents that are refused even with them: nothing of these may stay. */
import { findIndex } from '../../cluster/changes/find-index.js';
import { compiledMapping } from '../../cluster/mapping/compiled-mapping.js';
import { mappingContext } from '../../cluster/mapping/mapping-context.js';
import type { ClusterState, IndexId } from '../../cluster/state.js';
import { nativeRules } from '../../coordinator/native-rules.js';
import { applyDynamicUpdates } from '../../mapping/dynamic.js';
import type { BulkItems } from '../../native/bulk.js';
import type { UnmappedField } from '../../native/bulk-call.js';
import type { NativeShard } from '../../native/shard.js';

export interface Brought {
  readonly body: Uint8Array;
  readonly items: BulkItems;
  readonly selection: Uint32Array;
  /** The position of the document that asked for the fields. */
  readonly from: number;
  readonly fields: readonly UnmappedField[];
}

/** Throws why the mapping cannot have the fields, or the refusal of the document that asked for them. */
export function fieldsTaken(
  shard: NativeShard,
  id: IndexId,
  brought: Brought,
  state: ClusterState,
): readonly UnmappedField[] {
  const index = findIndex(state, id);
  const context = mappingContext(index.settings, nativeRules);
  const mapping = applyDynamicUpdates(index.mapping, brought.fields, context);
  return shard.fieldsTaken(compiledMapping({ ...index, mapping }), brought);
}
