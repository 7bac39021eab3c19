/**
 * A member that votes misses its leader by itself. One that does not, or was taken out of the group while it was away, would believe in its
 * last leader for ever: here is counted for how many ticks that one has said nothing.
 */
export class LeaderSilence {
  private readonly ticksMax: number;
  private leader: string | undefined;
  private ticks = 0;

  constructor(ticksMax: number) {
    this.ticksMax = ticksMax;
  }

  tick(): void {
    this.ticks++;
  }

  heard(from: string): void {
    if (from === this.leader) this.ticks = 0;
  }

  /** The leader that the member believes in; undefined when it has been silent for too long. */
  believed(leader: string | undefined): string | undefined {
    if (leader !== this.leader) {
      this.leader = leader;
      this.ticks = 0;
    }
    return this.ticks > this.ticksMax ? undefined : leader;
  }
}
