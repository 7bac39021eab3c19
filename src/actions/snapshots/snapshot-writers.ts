/** Who is writing into repositories for snapshots that are being made, so that whoever stops one can wait for them. */

/** Of one thread. */
export class SnapshotWriters {
  private readonly underWay = new Map<string, Set<Promise<unknown>>>();

  /** The work counts from now until it has ended. */
  async run<Result>(snapshotUuid: string, work: () => Promise<Result>): Promise<Result> {
    const running = work();
    const others = this.underWay.get(snapshotUuid) ?? new Set();
    this.underWay.set(snapshotUuid, others.add(running));
    try {
      return await running;
    } finally {
      others.delete(running);
      if (others.size === 0) this.underWay.delete(snapshotUuid);
    }
  }

  /** Resolves when nothing is written for the snapshot. */
  async whenNone(snapshotUuid: string): Promise<void> {
    for (let running = this.underWay.get(snapshotUuid); running !== undefined;) {
      await Promise.allSettled(running);
      running = this.underWay.get(snapshotUuid);
    }
  }
}
