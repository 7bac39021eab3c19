/** What a copy of a shard keeps of its operations for copies elsewhere: leases, and the kernels' retention by them. */
import type { Clock } from '../../base/clock.js';
import type { NativeShard } from '../../native/shard.js';
import { RetentionLeases, type RetentionLease } from './retention-leases.js';

export interface RetentionServices {
  /** The node of this copy: it needs nothing from itself. */
  readonly ownNodeId: string;
  /** What this copy, or the one whose directory it has, knew before. */
  readonly known: readonly RetentionLease[];
  /** `index.soft_deletes.retention_lease.period` */
  periodMs(): number;
  /** For the next run; failures are logged there. */
  save(leases: readonly RetentionLease[]): void;
  /** Resolves when nothing is being saved any more. */
  settled(): Promise<void>;
}

/** History that is kept for copies that are behind or gone; of more, the oldest goes, whatever the leases say. */
const RETAINED_BYTES_MAX = 512 * 1024 * 1024;

type Store = Pick<NativeShard, 'checkpoints' | 'retainFrom'>;

export class HistoryRetention {
  private readonly store: Store;
  private readonly services: RetentionServices;
  private readonly clock: Clock;
  private readonly leases: RetentionLeases;
  private lastShared: string;

  constructor(store: Store, services: RetentionServices, clock: Clock) {
    this.store = store;
    this.services = services;
    this.clock = clock;
    this.leases = new RetentionLeases(services.known, clock.monotonicMs());
    this.lastShared = JSON.stringify(this.leases.list());
    this.apply();
  }

  /** A copy that is not aligned yet (without `acknowledged`) may need all that was kept for it, or what searches see. */
  renew(copies: readonly { readonly nodeId: string; readonly acknowledged: number | undefined }[]): void {
    const nowMs = this.clock.monotonicMs();
    const { globalCheckpoint, searchableCheckpoint } = this.store.checkpoints();
    for (const { nodeId, acknowledged } of copies) {
      const from = acknowledged ?? (this.leases.seqNoOf(nodeId) ?? searchableCheckpoint + 1) - 1;
      this.leases.renew(nodeId, from + 1, nowMs);
    }
    // For this copy itself, should another become the primary.
    this.leases.renew(this.services.ownNodeId, globalCheckpoint + 1, nowMs);
    this.apply();
  }

  keepOnly(nodeIds: ReadonlySet<string>): void {
    const { ownNodeId } = this.services;
    this.leases.keepOnly((nodeId) => nodeId === ownNodeId || nodeIds.has(nodeId));
    this.apply();
  }

  expire(): void {
    this.leases.expire(this.services.periodMs(), this.clock.monotonicMs());
    this.apply();
  }

  /** As the primary told them. */
  replace(leases: readonly RetentionLease[]): void {
    this.leases.replace(leases, this.clock.monotonicMs());
    this.apply();
    this.services.save(leases);
  }

  /** The leases, which are saved, when they are not those of the last call. */
  unsharedLeases(): readonly RetentionLease[] | undefined {
    const leases = this.leases.list();
    const text = JSON.stringify(leases);
    if (text === this.lastShared) return undefined;
    this.lastShared = text;
    this.services.save(leases);
    return leases;
  }

  /** After everything was replaced the kernels have forgotten it. */
  apply(): void {
    const lowest = this.leases.lowestBeside(this.services.ownNodeId);
    if (lowest === undefined) this.store.retainFrom(this.store.checkpoints().maxSeqNo + 1, 0);
    else this.store.retainFrom(lowest, RETAINED_BYTES_MAX);
  }
}
