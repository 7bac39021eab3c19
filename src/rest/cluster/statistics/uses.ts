/** Uses of names: how often, and in how many indices. */
export interface NamedUses {
  readonly name: string;
  readonly count: number;
  readonly index_count: number;
}

export class Uses {
  private readonly counts = new Map<string, { count: number; readonly indices: Set<string> }>();

  add(name: string, index: string): void {
    const uses = this.counts.get(name) ?? { count: 0, indices: new Set<string>() };
    uses.count++;
    uses.indices.add(index);
    this.counts.set(name, uses);
  }

  /** In order of the names, as the API prints them. */
  render(): readonly (NamedUses & Readonly<Record<string, string | number>>)[] {
    return [...this.counts]
      .sort(([left], [right]) => (left < right ? -1 : 1))
      .map(([name, { count, indices }]) => ({ name, count, index_count: indices.size }));
  }
}
