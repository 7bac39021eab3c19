/** How far a run is, and how long the rest takes. */

export interface Effort {
  /** In any unit, the same for all points. */
  readonly weight: number;
}

export interface Done extends Effort {
  readonly tookMs: number;
}

/**
 * Milliseconds that the points left take: each as long by its weight as those that were measured, of which later ones count more,
 * since the machine now is what matters. Undefined while nothing was measured.
 */
export function millisecondsLeft(done: readonly Done[], left: readonly Effort[]): number | undefined {
  const recent = done.slice(-RECENT_MAX);
  const weight = sum(recent, (each) => each.weight);
  if (weight === 0) return undefined;
  return (sum(recent, ({ tookMs }) => tookMs) / weight) * sum(left, (each) => each.weight);
}

const RECENT_MAX = 20;

function sum<T>(items: readonly T[], amount: (item: T) => number): number {
  return items.reduce((total, item) => total + amount(item), 0);
}

/** `45 s`, `12 min`, `3 h 20 min`. */
export function formatLeft(milliseconds: number | undefined): string {
  if (milliseconds === undefined) return 'not known yet';
  const seconds = Math.max(1, Math.round(milliseconds / 1_000));
  if (seconds < 100) return `${seconds} s`;
  const minutes = Math.round(seconds / 60);
  return minutes < 120 ? `${minutes} min` : `${Math.floor(minutes / 60)} h ${minutes % 60} min`;
}
