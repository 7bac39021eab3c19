/**
 * A copy of a shard on a simulated machine: the operations that it has, in order, each under the term of the primary that made it.
 * Stands for the kernels' shards and replicas below the real `ManagedReplica` and `ReplicationGroup`.
 */
import { QuarryError } from '../../src/base/errors.js';
import type { Checkpoints, MissingFile, Operations, SegmentSet, TermStart } from '../../src/native/replication.js';
import type { ReplicaShard } from '../../src/native/replica-shard.js';
import type { PrimaryStore } from '../../src/shard/replication/copy-sender.js';

export interface Operation {
  readonly term: number;
  readonly id: number;
}

/** What a directory holds; outlives processes. Sequence numbers are places. */
export interface CopyStore {
  readonly historyUuid: string;
  allocationId: string;
  /** As in the record of a copy. */
  formerAllocationId: string | undefined;
  primaryTerm: number;
  globalCheckpoint: number;
  operations: Operation[];
}

/** Whether the store stands for a copy that may become the primary. */
export function isInSync({ allocationId, formerAllocationId }: CopyStore, inSyncIds: readonly string[]): boolean {
  return [allocationId, formerAllocationId].some((id) => id !== undefined && inSyncIds.includes(id));
}

/** What stands for a set of segments. */
interface StoredSet {
  readonly term: number;
  readonly operations: readonly Operation[];
}

/** Operations that a primary can still send one by one; a copy that lacks older ones is copied anew. */
const HISTORY = 4;

function encode(value: unknown): Uint8Array {
  return Buffer.from(JSON.stringify(value));
}

function decode(bytes: Uint8Array): unknown {
  return JSON.parse(Buffer.from(bytes).toString());
}

function checkpointsOf(store: CopyStore, refreshGeneration: number): Checkpoints {
  const maxSeqNo = store.operations.length - 1;
  return {
    maxSeqNo,
    localCheckpoint: maxSeqNo,
    persistedCheckpoint: maxSeqNo,
    globalCheckpoint: store.globalCheckpoint,
    historyStart: Math.max(0, store.operations.length - HISTORY),
    primaryTerm: store.primaryTerm,
    searchableCheckpoint: maxSeqNo,
    refreshGeneration,
  };
}

/** The parts of a primary that its senders read. */
export function primaryStore(store: CopyStore): PrimaryStore {
  const segmentSet = {
    descriptor: () => encode({ term: store.primaryTerm, operations: store.operations } satisfies StoredSet),
    refreshGeneration: () => 0,
    files: () => [],
  };
  return {
    checkpoints: () => checkpointsOf(store, 0),
    failure: () => undefined,
    historyUuid: () => store.historyUuid,
    operationsSince: (seqNo): Promise<Operations> => {
      const bytes = encode({ from: seqNo, operations: store.operations.slice(seqNo) });
      return Promise.resolve({ bytes, lastSeqNo: store.operations.length - 1 });
    },
    refreshInBackground: () => Promise.resolve(true),
    retainFrom: () => undefined,
    segmentSet: () => segmentSet as unknown as SegmentSet,
    setGlobalCheckpoint: (seqNo) => {
      store.globalCheckpoint = Math.max(store.globalCheckpoint, seqNo);
    },
    terms: () => termStarts(store.operations),
  };
}

function termStarts(operations: readonly Operation[]): readonly TermStart[] {
  return operations.flatMap(({ term }, firstSeqNo) =>
    operations[firstSeqNo - 1]?.term === term ? [] : [{ term, firstSeqNo }],
  );
}

/** A replica as {@link ReplicaShard} is one, as far as `ManagedReplica` asks it. */
export function replicaShard(store: CopyStore): ReplicaShard {
  let isAligned = false;
  const refuseOlder = (primaryTerm: number): void => {
    if (primaryTerm >= store.primaryTerm) return;
    const reason = `primary term [${primaryTerm}] is lower than [${store.primaryTerm}]`;
    throw new QuarryError('primary_term_stale_exception', reason);
  };
  const refuseUnaligned = (primaryTerm: number): void => {
    if (isAligned && primaryTerm === store.primaryTerm) return;
    throw new QuarryError('replica_not_aligned_exception', 'the replica was not aligned');
  };
  const replica = {
    checkpoints: () => checkpointsOf(store, 0),
    storeDescription: () => ({ historyUuid: store.historyUuid }),
    failure: () => undefined,
    retainFrom: () => undefined,
    commonSeqNo: (terms: readonly TermStart[], maxSeqNo: number) =>
      Math.max(commonSeqNo(store.operations, terms, maxSeqNo), Math.min(store.globalCheckpoint, maxSeqNo)),
    rollbackAbove(seqNo: number, primaryTerm: number) {
      refuseOlder(primaryTerm);
      store.operations = store.operations.slice(0, seqNo + 1);
      store.primaryTerm = primaryTerm;
      isAligned = true;
      return Promise.resolve();
    },
    append(bytes: Uint8Array, primaryTerm: number, globalCheckpoint: number) {
      refuseOlder(primaryTerm);
      refuseUnaligned(primaryTerm);
      const { from, operations } = decode(bytes) as { from: number; operations: Operation[] };
      if (from > store.operations.length) throw new QuarryError('operation_gap_exception', 'operations are missing');
      store.operations.push(...operations.slice(store.operations.length - from));
      store.globalCheckpoint = Math.max(
        store.globalCheckpoint,
        Math.min(globalCheckpoint, store.operations.length - 1),
      );
      return { location: 0, maxSeqNo: store.operations.length - 1 };
    },
    synced: () => Promise.resolve(),
    sync: () => Promise.resolve(),
    missingFiles: (): readonly MissingFile[] => [],
    install(descriptor: Uint8Array, mode: 'view' | 'replace') {
      const set = decode(descriptor) as StoredSet;
      refuseOlder(set.term);
      if (mode === 'view') refuseUnaligned(set.term);
      else {
        store.operations = [...set.operations];
        store.primaryTerm = set.term;
        isAligned = true;
      }
      return Promise.resolve();
    },
    needsFlush: () => false,
    updateMapping: () => undefined,
    updateSettings: () => undefined,
    close: () => Promise.resolve(),
  };
  return replica as unknown as ReplicaShard;
}

/** Two copies that have an operation of the same number and term have the same ones before it. */
function commonSeqNo(mine: readonly Operation[], terms: readonly TermStart[], maxSeqNo: number): number {
  for (let seqNo = Math.min(mine.length - 1, maxSeqNo); seqNo >= 0; seqNo--) {
    const term = terms.findLast(({ firstSeqNo }) => firstSeqNo <= seqNo)?.term;
    if (mine[seqNo]?.term === term) return seqNo;
  }
  return -1;
}
