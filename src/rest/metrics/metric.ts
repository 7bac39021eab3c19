/** One measure of a node or its cluster, in the words of Prometheus. */
export interface Metric {
  /**
   * By the conventions of OpenTelemetry where they have a name for it: dots become underscores, the unit follows, and `_total` ends
   * the name of what only grows. What is the engine's own begins with `quarry_`.
   */
  readonly name: string;
  readonly help: string;
  /** A counter grows from the start of the node on. */
  readonly kind: 'counter' | 'gauge';
  readonly samples: readonly Sample[];
}

export interface Sample {
  readonly value: number;
  readonly labels?: Readonly<Record<string, string>>;
}

export function gauge(name: string, help: string, ...samples: readonly Sample[]): Metric {
  return { name, help, kind: 'gauge', samples };
}

export function counter(name: string, help: string, ...samples: readonly Sample[]): Metric {
  return { name, help, kind: 'counter', samples };
}

/** A sample for each entry, which names it in this label. */
export function labelled(label: string, entries: Iterable<readonly [string, number]>): readonly Sample[] {
  return [...entries].map(([name, value]) => ({ value, labels: { [label]: name } }));
}
