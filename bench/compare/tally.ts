/** Counts of a comparison: by family of requests, by reason of known differences, by class of the others. */
interface Counts {
  agreed: number;
  known: number;
  differ: number;
}

export class Tally {
  private readonly families = new Map<string, Counts>();
  private readonly reasons = new Map<string, number>();
  private readonly classes = new Map<string, number>();

  agreed(family: string): void {
    this.of(family).agreed++;
  }

  known(family: string, reason: string): void {
    this.of(family).known++;
    this.reasons.set(reason, (this.reasons.get(reason) ?? 0) + 1);
  }

  /** How often a difference of this class was met, this one included. */
  differs(family: string, kind: string): number {
    this.of(family).differ++;
    const name = `${family}: ${kind}`;
    const times = (this.classes.get(name) ?? 0) + 1;
    this.classes.set(name, times);
    return times;
  }

  get differences(): number {
    return [...this.families.values()].reduce((sum, { differ }) => sum + differ, 0);
  }

  private of(family: string): Counts {
    const counts = this.families.get(family) ?? { agreed: 0, known: 0, differ: 0 };
    this.families.set(family, counts);
    return counts;
  }

  print(): void {
    const all: Counts = { agreed: 0, known: 0, differ: 0 };
    for (const [family, counts] of this.families) {
      all.agreed += counts.agreed;
      all.known += counts.known;
      all.differ += counts.differ;
      console.log(`  ${family.padEnd(34)} ${told(counts)}`);
    }
    for (const [reason, times] of this.reasons) console.log(`  known, ${times} times: ${reason}`);
    for (const [name, times] of this.classes) console.log(`  differs, ${times} times: ${name}`);
    console.log(`${all.agreed + all.known + all.differ} searches: ${told(all)}`);
  }
}

function told({ agreed, known, differ }: Counts): string {
  return `${agreed} agreed, ${known} differ for a known reason, ${differ} differ`;
}
