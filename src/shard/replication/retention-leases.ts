/**
 * For which copies a shard keeps operations, and from where on: each copy's node has a lease on the operations after those
 * that its copy has. A copy that is lost leaves its lease behind for a while, so that it can come back by operations alone.
 * Replicas are told, so that the one which becomes the primary has kept the same.
 */
export interface RetentionLease {
  readonly nodeId: string;
  /** The first operation that is kept for the node. */
  readonly retainingSeqNo: number;
}

interface Held {
  retainingSeqNo: number;
  renewedMs: number;
}

/** Nodes that leases are kept for; the one that was renewed least recently goes first. */
const LEASES_MAX = 64;

export class RetentionLeases {
  private readonly held = new Map<string, Held>();

  /** Those of an earlier run count as renewed now: nobody was there to renew them. */
  constructor(known: readonly RetentionLease[], nowMs: number) {
    this.replace(known, nowMs);
  }

  renew(nodeId: string, retainingSeqNo: number, nowMs: number): void {
    this.held.delete(nodeId);
    this.held.set(nodeId, { retainingSeqNo, renewedMs: nowMs });
    const [oldest] = this.held.keys();
    if (this.held.size > LEASES_MAX && oldest !== undefined) this.held.delete(oldest);
  }

  replace(leases: readonly RetentionLease[], nowMs: number): void {
    this.held.clear();
    for (const { nodeId, retainingSeqNo } of leases) this.renew(nodeId, retainingSeqNo, nowMs);
  }

  /** Copies that were replaced elsewhere do not come back. */
  keepOnly(isWanted: (nodeId: string) => boolean): void {
    for (const nodeId of [...this.held.keys()]) if (!isWanted(nodeId)) this.held.delete(nodeId);
  }

  expire(periodMs: number, nowMs: number): void {
    for (const [nodeId, { renewedMs }] of [...this.held]) {
      if (nowMs - renewedMs > periodMs) this.held.delete(nodeId);
    }
  }

  seqNoOf(nodeId: string): number | undefined {
    return this.held.get(nodeId)?.retainingSeqNo;
  }

  /** The first operation that is kept for another node than this one; undefined when none is. */
  lowestBeside(ownNodeId: string): number | undefined {
    let lowest: number | undefined;
    for (const [nodeId, { retainingSeqNo }] of this.held) {
      if (nodeId !== ownNodeId) lowest = Math.min(lowest ?? retainingSeqNo, retainingSeqNo);
    }
    return lowest;
  }

  list(): readonly RetentionLease[] {
    return [...this.held]
      .map(([nodeId, { retainingSeqNo }]) => ({ nodeId, retainingSeqNo }))
      .sort((left, right) => (left.nodeId < right.nodeId ? -1 : 1));
  }
}
