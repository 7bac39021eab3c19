/**
 * Sees everything that happens in a history and notes the first fault. The invariants:
 *
 *  1. A term has one leader.
 *  2. All members hand out the same entries, each run of a member without gaps.
 *  3. All nodes show the same state of a version, and a run of a node never an older one than before.
 *  4. What was acknowledged is in every later state.
 *  5. A command is carried out once at most, and never when its client was told that it was not.
 *  6. When a command is acknowledged, the threads of every node that was there when it was agreed on have applied it; nodes that
 *     left or restarted are excepted, and so are all after the publish limit.
 *  7. A shard has one primary in a primary term; one with data gets its next primary from its in-sync set. While a primary is
 *     active, all active copies are in sync, and the set does not grow beyond the copies that the index asks for.
 *  8. A primary has every operation that was acknowledged before it, and so has every copy that is in sync.
 *  9. A node starts on whatever a crash left on a disk that works.
 * 10. After the faults have ended the cluster heals within a bounded time: one master, every node joined, one state everywhere,
 *     the voters as they should be, every shard of which an in-sync copy exists started with all its copies, these equal,
 *     restores ended, and nothing changes any more.
 */
import { shardKey } from '../../src/cluster/disks/cluster-info.js';
import { isActive, isRelocationTarget, primaryOf } from '../../src/cluster/copies/shard-copies.js';
import { emptyClusterState, type ClusterState, type IndexMetadata, type ShardCopy } from '../../src/cluster/state.js';
import { decodePublication } from '../../src/coordinator/publication-codec.js';
import { applyPublication } from '../../src/coordinator/publication.js';
import type { RaftPersisted } from '../../src/native/raft.js';
import { isInSync, type CopyStore, type Operation } from './copy-store.js';

/** Says what is wrong with a state. */
export type Expectation = (state: ClusterState) => string | undefined;

interface PrimaryInOffice {
  readonly term: number;
  /** Of the node where it began. */
  readonly run: string;
  readonly operations: readonly Operation[];
}

export interface Acknowledged {
  readonly seqNo: number;
  readonly operation: Operation;
}

export class Witness {
  /** The first one. */
  failure: Error | undefined;
  /** As agreed on, by the log alone. */
  state: ClusterState = emptyClusterState('', '');
  acknowledgedWrites = 0;
  acknowledgedCommands = 0;
  readonly terms = new Map<number, string>();
  /** What lies on the machines, by shard key. */
  disks: readonly { readonly stores: ReadonlyMap<string, CopyStore> }[] = [];
  private lastIndex = 0;
  private readonly entries = new Map<number, string>();
  /** By run. */
  private readonly handedOut = new Map<string, number>();
  private readonly shown = new Map<string, ClusterState>();
  private readonly uuids = new Map<number, string>();
  private readonly expectations = new Set<Expectation>();
  /** By index name: the nodes that were there when it was created, with their runs. */
  readonly createdWith = new Map<string, ReadonlyMap<string, string>>();
  private readonly writes = new Map<string, Acknowledged[]>();
  private readonly primaries = new Map<string, PrimaryInOffice>();
  private readonly targets = new Set<string>();
  private readonly offices = new Map<string, { readonly allocationId: string; readonly term: number }>();

  fault(invariant: number, what: string): void {
    this.failure ??= new Error(`invariant ${invariant} does not hold: ${what}`);
  }

  /** A member has written, and hands out what is committed. */
  persisted(name: string, run: string, raftId: string, { state, committed, snapshot }: RaftPersisted): void {
    if (state.role === 'leader') {
      const leader = this.terms.get(state.term) ?? raftId;
      this.terms.set(state.term, leader);
      if (leader !== raftId) this.fault(1, `${name} leads in term ${state.term}, and so does member ${leader}`);
    }
    if (snapshot !== undefined) this.handedOut.set(run, snapshot.index);
    for (const entry of committed) {
      const before = this.handedOut.get(run);
      if (before !== undefined && entry.index !== before + 1) {
        this.fault(2, `${name} hands out entry ${entry.index} after ${before}`);
      }
      this.handedOut.set(run, entry.index);
      this.committed(name, entry);
    }
  }

  private committed(name: string, { index, term, data }: RaftPersisted['committed'][number]): void {
    const text = `${term} ${Buffer.from(data.buffer, data.byteOffset, data.length).toString('latin1')}`;
    const known = this.entries.get(index);
    if (known === undefined) this.entries.set(index, text);
    else if (known !== text) this.fault(2, `entry ${index} of ${name} is not that of others`);
    if (index <= this.lastIndex) return;
    this.lastIndex = index;
    if (data.length === 0) return;
    const publication = decodePublication(data);
    const fromVersion = publication.kind === 'full' ? 0 : publication.fromVersion;
    if (fromVersion !== this.state.version) return;
    const before = this.state;
    this.state = applyPublication(before, publication);
    this.uuids.set(this.state.version, this.state.stateUuid);
    this.changed(before, this.state);
  }

  private changed(before: ClusterState, after: ClusterState): void {
    for (const name of after.indices.keys()) {
      if (before.indices.has(name)) continue;
      this.createdWith.set(name, new Map([...after.nodes].map(([id, { ephemeralId }]) => [id, ephemeralId])));
    }
    for (const expectation of this.expectations) {
      const wrong = expectation(after);
      if (wrong !== undefined) this.fault(4, `version ${after.version}: ${wrong}`);
    }
    for (const [name, { shards }] of after.routing) {
      const index = after.indices.get(name);
      if (index === undefined) this.fault(7, `routing of the unknown index ${name}`);
      else
        shards.forEach((copies, shard) => {
          this.checkPrimary(before, after, index, shard, copies);
        });
    }
    for (const copy of [...after.routing.values()].flatMap(({ shards }) => shards.flat())) {
      if (isRelocationTarget(copy) && copy.primary) this.targets.add(copy.allocationId ?? '');
    }
  }

  private checkPrimary(
    before: ClusterState,
    after: ClusterState,
    index: IndexMetadata,
    shard: number,
    copies: readonly ShardCopy[],
  ): void {
    const key = shardKey(index.uuid, shard);
    const where = `shard ${shard} of ${index.name}`;
    const primary = primaryOf(copies);
    if (index.state !== 'open' || primary === undefined || !isActive(primary)) return;
    const allocationId = primary.allocationId ?? '';
    const term = index.primaryTerms[shard] ?? 0;
    const last = this.offices.get(key);
    this.offices.set(key, { allocationId, term });
    const active = copies.filter(isActive).map((copy) => copy.allocationId ?? '');
    const inSync = index.inSyncAllocationIds[shard] ?? [];
    const formerIndex = before.indices.get(index.name);
    const copiesMax = 1 + Math.max(index.numberOfReplicas, formerIndex?.numberOfReplicas ?? 0);
    const hasGrown = inSync.length > Math.max(copiesMax, formerIndex?.inSyncAllocationIds[shard]?.length ?? 0);
    if (hasGrown || !active.every((id) => inSync.includes(id))) {
      this.fault(7, `${where}: ${active.join()} are active, ${inSync.join()} in sync`);
    }
    if (last === undefined || last.allocationId === allocationId) return;
    if (term <= last.term) this.fault(7, `${where} has two primaries in term ${term}`);
    const wasInSync = before.indices.get(index.name)?.inSyncAllocationIds[shard]?.includes(allocationId) === true;
    // One change may be of several commands: a copy became in sync in it, and then the primary.
    const former = before.routing.get(index.name)?.shards[shard] ?? [];
    const mayHaveJoined =
      after.version > before.version + 1 && former.some((copy) => copy.allocationId === allocationId);
    if (!wasInSync && !mayHaveJoined && !this.targets.has(allocationId)) {
      this.fault(7, `${where}: the primary ${allocationId} was not in sync`);
    }
  }

  /** A node shows a state to its threads. */
  applied(name: string, run: string, state: ClusterState): void {
    const before = this.shown.get(run);
    this.shown.set(run, state);
    if (state.version === 0) return;
    if (before !== undefined && state.version < before.version) {
      this.fault(3, `${name} shows version ${state.version} after ${before.version}`);
    }
    if (this.uuids.get(state.version) !== state.stateUuid) {
      this.fault(3, `${name} shows a version ${state.version} that was not agreed on`);
    }
  }

  /** Holds for all states from now on; the answer ends it. */
  expect(expectation: Expectation): () => void {
    const wrong = expectation(this.state);
    if (wrong !== undefined) this.fault(4, `version ${this.state.version}, at once: ${wrong}`);
    this.expectations.add(expectation);
    return () => this.expectations.delete(expectation);
  }

  acknowledged(key: string, seqNo: number, operation: Operation): void {
    this.acknowledgedWrites++;
    for (const { stores } of this.disks) {
      const store = stores.get(key);
      if (store === undefined || !this.isInSync(key, store) || store.operations[seqNo]?.id === operation.id) continue;
      this.fault(8, `${key}: ${store.allocationId} is in sync and lacks operation ${operation.id}`);
    }
    const writes = this.writes.get(key) ?? [];
    this.writes.set(key, writes);
    writes.push({ seqNo, operation });
    const primary = this.primaries.get(key);
    if (primary === undefined || primary.term <= operation.term) return;
    if (primary.operations[seqNo]?.id !== operation.id) {
      this.fault(
        8,
        `${key}: operation ${operation.id} is acknowledged after the primary of term ${primary.term} began`,
      );
    }
  }

  /** By shard key. */
  acknowledgedSoFar(): ReadonlyMap<string, readonly Acknowledged[]> {
    return new Map([...this.writes].map(([key, writes]) => [key, [...writes]] as const));
  }

  /** Whether the store is of a copy that may become the primary. */
  isInSync(key: string, store: CopyStore): boolean {
    for (const { uuid, inSyncAllocationIds } of this.state.indices.values()) {
      for (const [shard, ids] of inSyncAllocationIds.entries()) {
        if (shardKey(uuid, shard) === key) return isInSync(store, ids);
      }
    }
    return false;
  }

  primaryOpened(key: string, run: string, store: CopyStore, isNew: boolean): void {
    const writes = this.writes.get(key) ?? [];
    const { primaryTerm: term } = store;
    const known = this.primaries.get(key);
    // A node that is behind may begin an office that is over; nothing is acknowledged there any more.
    if (known !== undefined && term < known.term) return;
    if (known?.term === term && known.run !== run) this.fault(7, `${key}: two primaries begin in term ${term}`);
    if (isNew && writes.length > 0) this.fault(8, `${key} begins anew and had operations`);
    const lost = writes.find(({ seqNo, operation }) => store.operations[seqNo]?.id !== operation.id);
    if (lost !== undefined) this.fault(8, `${key}: the primary of term ${term} lacks operation ${lost.operation.id}`);
    if (known === undefined || known.term < term)
      this.primaries.set(key, { term, run, operations: [...store.operations] });
  }
}
